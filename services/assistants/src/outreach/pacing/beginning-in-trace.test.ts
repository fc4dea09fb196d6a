import { createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { beginningInTrace } from './beginning-in-trace.ts';

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
  return store.readAll({ after: 0, limit: 100 });
}

test('an attempt goes back to its lead’s coming, or to the newest start or change of its campaign in the trace', async () => {
  const log = await logOf(
    ['campaign-5', 'CampaignCreated', 'a'],
    ['campaign-5', 'CampaignStarted', 'a'],
    ['campaign-5', 'CampaignStopped', 'b'],
    ['campaign-5', 'CampaignStarted', 'b'],
    ['lead-12', 'LeadCreated', 'c'],
    ['lead-12', 'LeadQueued', 'a'],
    ['campaign-5', 'CampaignSettingsChanged', 'e'],
    ['campaign-5', 'CampaignRenamed', 'e'],
  );
  const found = (trace: string) => beginningInTrace(trace, log);
  expect(found('a')).toBe(log[1]?.eventId);
  expect(found('b')).toBe(log[3]?.eventId);
  expect(found('c')).toBe(log[4]?.eventId);
  expect(found('d')).toBeUndefined();
  expect(found('e')).toBe(log[6]?.eventId);
});
