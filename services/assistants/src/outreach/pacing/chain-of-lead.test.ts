import { createInMemoryEventStore } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { chainDepthOfLead, tellsDepth } from './chain-of-lead.ts';
import { endsOfStream } from './ends-of-stream.ts';

/** What a lead's attempt after these events says, each of a run so deep, or of none. */
async function depthAfter(...events: readonly (readonly [type: string, chainDepth?: number])[]) {
  const store = createInMemoryEventStore();
  for (const [type, chainDepth] of events)
    await store.append({
      streamId: 'lead-12',
      category: 'lead',
      accountId: 7,
      expectedVersion: 'any',
      metadata: { ...testMetadata, ...(chainDepth === undefined ? {} : { chainDepth }) },
      events: [{ type, data: {} }],
    });
  return chainDepthOfLead(await endsOfStream(store, 'lead-12', events.length, tellsDepth));
}

test('an attempt is as deep as the run that added its lead, or opened it anew since', async () => {
  expect(await depthAfter(['LeadCreated'])).toBeUndefined();
  expect(await depthAfter(['LeadCreated', 0], ['LeadVariablesReplaced'])).toBe(0);
  expect(await depthAfter(['LeadCreated'], ['LeadQueued'], ['LeadReopened', 3])).toBe(3);
  expect(await depthAfter(['LeadCreated', 2], ['LeadQueued', 2], ['LeadReopened'])).toBeUndefined();
});

test('a run that gives the lead another number counts as well, for that has its own attempts', async () => {
  const moved = 'LeadPhoneNumberChanged';
  expect(await depthAfter(['LeadCreated'], ['LeadQueued'], [moved, 0])).toBe(0);
  expect(await depthAfter(['LeadCreated', 2], ['LeadQueued', 2], [moved, 3], ['LeadQueued', 3])).toBe(3);
  expect(await depthAfter(['LeadCreated', 2], ['LeadQueued', 2], [moved])).toBe(2);
});

test('a run that does anything else to the lead does not, for nobody is reached out to because of it', async () => {
  expect(await depthAfter(['LeadCreated', 2], ['LeadVariablesReplaced', 5])).toBe(2);
  expect(await depthAfter(['LeadCreated'], ['LeadVariablesReplaced', 5])).toBeUndefined();
});

test('however much happened to the lead since, its attempts tell', async () => {
  const changes = Array.from({ length: 200 }, () => ['LeadVariablesReplaced'] as const);
  expect(await depthAfter(['LeadCreated', 4], ...changes)).toBe(4);
  expect(await depthAfter(['LeadCreated'], ...changes, ['LeadReopened', 5], ['LeadQueued', 5])).toBe(5);
});
