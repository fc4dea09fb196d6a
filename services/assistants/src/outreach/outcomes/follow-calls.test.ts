import { CallEnded, type CallEndedEvent, type CampaignEvent, type LeadEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type NewEvent } from '@parley/event-store';
import { ownLog } from '@parley/processing';
import { golden, recorded, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaignStream } from '../../campaign/campaign.ts';
import { lead, leadStream } from '../../lead/lead.ts';
import { followCalls } from './follow-calls.ts';

const accountId = 3;
const leadId = 12;

function newWorld() {
  const store = createInMemoryEventStore();
  const aggregates = new Aggregates(store);
  const reactor = followCalls({ aggregates, clock: store, source: ownLog(store) });
  const append = (streamId: string, events: readonly NewEvent[]) =>
    store.append({
      streamId,
      category: 'any',
      accountId,
      events,
      expectedVersion: 'any',
      metadata: testMetadata,
    });
  const [ended] = golden<CallEndedEvent>('CallEnded.v1');
  const event = recorded(
    { type: CallEnded.type, data: { ...ended?.data, call_id: 771, lead_id: leadId } },
    { accountId },
  );
  return {
    reactor,
    event,
    begin: () => append(campaignStream(5), golden<CampaignEvent>('CampaignCreated.v1')),
    happened: (...names: readonly string[]) => append(leadStream(leadId), golden<LeadEvent>(...names)),
    /** As a reactor in lanes does: what is appended is known by its event. */
    async hear() {
      const context = {
        store,
        metadata: testMetadata,
        attempt: 1,
        effectId: () => '',
        signal: AbortSignal.timeout(60_000),
      };
      const request = await reactor.react(event, context);
      return (
        request &&
        store.append({ command: { commandId: event.eventId, fingerprint: '', reply: '' }, ...request })
      );
    },
    attempt: async () => (await aggregates.load(leadStream(leadId), lead)).state?.attempt,
  };
}

test('the end of a call that came to nothing comes to nothing when it is told again, whoever is called meanwhile', async () => {
  const { begin, happened, hear, attempt } = newWorld();
  await begin();
  await happened('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptStarted.v1', 'LeadAttemptEnded.v1');
  expect(await hear()).toMatchObject({ kind: 'appended', version: 4 });
  await happened('LeadQueued.v1');
  expect(await hear()).toMatchObject({ kind: 'repeated' });
  expect(await attempt()).toMatchObject({ reference: null });
});

test('the calls of one account wait for those of no other', () => {
  const { reactor, event } = newWorld();
  expect(reactor.laneOf?.(event)).toBeDefined();
  expect(reactor.laneOf?.(event)).not.toBe(reactor.laneOf?.({ ...event, accountId: 4 }));
});
