import type { LeadEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { withdrawalsByCampaign } from './lead-withdrawals.ts';

const [queued, withdrawn, started, ended] = [
  'LeadQueued.v1',
  'LeadAttemptWithdrawn.v1',
  'LeadAttemptStarted.v1',
  'LeadAttemptEnded.v1',
] as const;
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

test('after an attempt has ended they are counted anew', () => {
  expect(told(withdrawn, ended, withdrawn)).toMatchObject([{ inARow: 1, isAnew: true }]);
  expect(told(withdrawn, ended)).toMatchObject([{ at: expect.any(String), inARow: 0, isAnew: true }]);
  expect(told(ended)).toMatchObject([{ at: null, until: null, inARow: 0, isAnew: true }]);
});

test('calls that began and were put off, as while the voice platform is away, are counted like others', () => {
  expect(told(started, withdrawn, started, withdrawn)).toMatchObject([{ inARow: 2, isAnew: false }]);
  expect(told(started)).toMatchObject([{ at: null, until: null, inARow: 0, isAnew: false, isOver: true }]);
});

test('once an attempt has started, or a call is over, what was given back before holds nobody up', () => {
  expect(told(withdrawn, started)).toMatchObject([{ isOver: true }]);
  expect(told(started, ended)).toMatchObject([{ isOver: true }]);
  expect(told(withdrawn, ended)).toMatchObject([{ isOver: true }]);
  expect(told(started, withdrawn)).toMatchObject([{ isOver: false }]);
});

test('an attempt that failed for its lead’s sake says nothing of what was given back before', () => {
  const [event] = golden<LeadEvent>(ended);
  if (event?.type !== 'LeadAttemptEnded') throw new Error('The golden file holds it.');
  const refused = { ...event, data: { ...event.data, outcome: 'failed' as const, reason: 'Too long.' } };
  for (const before of [golden<LeadEvent>(withdrawn), []]) {
    const counted = withdrawalsByCampaign([...before, refused].map((each) => recorded(each)));
    expect([...counted.values()]).toMatchObject([{ isOver: false, inARow: 0 }]);
  }
});

test('what says nothing of an attempt’s outcome says nothing of them', () => {
  expect(told('LeadCreated.v1', queued)).toEqual([]);
});
