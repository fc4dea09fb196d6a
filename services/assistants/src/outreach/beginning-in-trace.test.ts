import { createInMemoryEventStore, type EventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { beginningInTrace } from './beginning-in-trace.ts';

const ofBoth = { leadId: 12, campaignId: 5 };

async function logOf(...events: readonly (readonly [stream: string, type: string, trace: string])[]) {
  const store = createInMemoryEventStore();
  for (const [streamId, type, correlationId] of events)
    await store.append({
      streamId,
      category: streamId.split('-')[0] ?? '',
      accountId: 7,
      expectedVersion: 'any',
      metadata: { ...testMetadata, correlationId },
      events: [{ type, data: {} }],
    });
  const log = await store.readAll({ after: 0, limit: 10_000 });
  return { store, log };
}

test('an attempt goes back to its lead’s coming, or to the newest start of its campaign in the trace', async () => {
  const { store, log } = await logOf(
    ['campaign-5', 'CampaignCreated', 'a'],
    ['campaign-5', 'CampaignStarted', 'a'],
    ['campaign-5', 'CampaignStopped', 'b'],
    ['campaign-5', 'CampaignStarted', 'b'],
    ['lead-12', 'LeadCreated', 'c'],
    ['lead-12', 'LeadQueued', 'a'],
  );
  const found = (trace: string) => beginningInTrace(store, trace, { ...ofBoth, campaignVersion: 4 });
  expect(await found('a')).toBe(log[1]?.eventId);
  expect(await found('b')).toBe(log[3]?.eventId);
  expect(await found('c')).toBe(log[4]?.eventId);
  expect(await found('d')).toBeUndefined();
});

test('a lead that was changed without end, and a campaign that was stopped so often, are not read as a whole', async () => {
  const { store } = await logOf(
    ...Array.from({ length: 1_000 }, () => ['campaign-5', 'CampaignStarted', 'a'] as const),
    ['lead-12', 'LeadCreated', 'b'],
    ...Array.from({ length: 1_000 }, () => ['lead-12', 'LeadVariablesReplaced', 'c'] as const),
  );
  let read = 0;
  const counted: Pick<EventStore, 'readStream'> = {
    async readStream(...of) {
      const events = await store.readStream(...of);
      read += events.length;
      return events;
    },
  };
  expect(await beginningInTrace(counted, 'd', { ...ofBoth, campaignVersion: 1_000 })).toBeUndefined();
  expect(read).toBeLessThan(200);
});
