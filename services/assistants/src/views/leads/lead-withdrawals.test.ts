import type { LeadEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { withdrawalsByCampaign } from './lead-withdrawals.ts';

const [queued, withdrawn, started, ended] = [
  'LeadQueued.v1',
  'LeadAttemptWithdrawn.v1',
  'LeadAttemptStarted.v1',
  'LeadAttemptEnded.v1',
];
const told = (...names: readonly (string | undefined)[]) => {
  const events = golden<LeadEvent>(...names.map(String)).map((event) =>
    recorded(event, { streamId: 'lead-12' }),
  );
  return [...withdrawalsByCampaign(events).values()];
};

test('attempts that were given back are counted over all leads of their campaign, with what is said of the last', () => {
  expect(told(queued, withdrawn, queued, withdrawn)).toEqual([
    { at: expect.any(String), until: expect.any(String), inARow: 2, isAnew: false, isOver: false },
  ]);
});

test.each([started, ended])('after %s they are counted anew', (outcome) => {
  expect(told(withdrawn, outcome, withdrawn)).toMatchObject([{ inARow: 1, isAnew: true }]);
  expect(told(withdrawn, outcome)).toMatchObject([{ at: expect.any(String), inARow: 0, isAnew: true }]);
  expect(told(outcome)).toMatchObject([{ at: null, until: null, inARow: 0, isAnew: true }]);
});

test('once an attempt has started, what was given back before holds nobody up', () => {
  expect(told(withdrawn, started)).toMatchObject([{ isOver: true }]);
  expect(told(started, ended)).toMatchObject([{ isOver: true }]);
  expect(told(withdrawn, ended)).toMatchObject([{ isOver: false }]);
  expect(told(started, withdrawn)).toMatchObject([{ isOver: false }]);
});

test('what says nothing of an attempt’s outcome says nothing of them', () => {
  expect(told('LeadCreated.v1', queued)).toEqual([]);
});
