import type { CampaignEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type EventStore } from '@parley/event-store';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaignStream } from '../../campaign/campaign.ts';
import { wakeCampaigns } from './wake-campaigns.ts';

const started = golden<CampaignEvent>('CampaignStarted.v1');

const record = (store: EventStore, streamId: string, events: readonly object[]) =>
  store.append({
    ...{
      streamId,
      category: streamId.split('-')[0] ?? '',
      accountId: 7,
      metadata: testMetadata,
      expectedVersion: 'any',
    },
    events: events as CampaignEvent[],
  });

/** A log with campaigns, the given ones of them running, and a lead for each. */
async function newLog(campaigns: number, running: readonly number[]) {
  const store = createInMemoryEventStore();
  const created = golden<CampaignEvent>('CampaignCreated.v1');
  for (let id = 1; id <= campaigns; id += 1) {
    await record(store, campaignStream(id), [...created, ...(running.includes(id) ? started : [])]);
    await record(store, `lead-${id}`, [{ type: 'LeadCreated', data: { campaign_id: id } }]);
  }
  const leads = await store.readAll({ after: 0, limit: 1_000, types: ['LeadCreated'] });
  return { store, leads };
}

/** What a reactor on the store asks and does from now on, and how to let it react. */
function following(store: EventStore) {
  const seen = { heads: 0, wakened: [] as string[] };
  const [head, append] = [store.head.bind(store), store.append.bind(store)];
  store.head = () => {
    seen.heads += 1;
    return head();
  };
  store.append = (request) => {
    seen.wakened.push(...(request.timers ?? []).map(({ id }) => id));
    return append(request);
  };
  const reactor = wakeCampaigns(new Aggregates(store));
  const reactTo = async (event: Awaited<ReturnType<EventStore['readAll']>>[number]) =>
    reactor.react(event, {
      store,
      attempt: 1,
      signal: new AbortController().signal,
      effectId: () => event.eventId,
      metadata: testMetadata,
    });
  return { seen, reactor, reactTo };
}

test('of the campaigns of a page those that run look again, and the others are not asked about one by one', async () => {
  const { store, leads } = await newLog(20, [3, 11]);
  const { seen, reactor, reactTo } = following(store);
  await reactor.prepare?.(leads);
  for (const event of leads) await reactTo(event);
  expect(seen.wakened).toEqual(['pace-campaign:3', 'pace-campaign:11']);
  expect(seen.heads).toBe(2);
});

test('a lead that comes after its campaign was started wakes it, whatever was known before', async () => {
  const { store, leads } = await newLog(1, []);
  const { seen, reactor, reactTo } = following(store);
  await reactor.prepare?.(leads);
  await record(store, campaignStream(1), started);
  await record(store, 'lead-2', [{ type: 'LeadCreated', data: { campaign_id: 1 } }]);
  const [, later] = await store.readAll({ after: 0, limit: 9, types: ['LeadCreated'] });
  for (const event of [...leads, ...(later ? [later] : [])]) await reactTo(event);
  expect(seen.wakened).toEqual(['pace-campaign:1']);
});

test('what was not prepared is asked for', async () => {
  const { store, leads } = await newLog(3, [2]);
  const { seen, reactTo } = following(store);
  for (const event of leads) await reactTo(event);
  expect(seen.wakened).toEqual(['pace-campaign:2']);
});
