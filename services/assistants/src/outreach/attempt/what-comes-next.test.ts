import type { LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { type LiveLead, lead } from '../../lead/lead.ts';
import { droppedRetry, whatComesNext } from './what-comes-next.ts';

const now = new Date('2026-11-21T10:30:00.000Z');
const wanted = (max_attempts: number) => ({ max_attempts, delay_minutes: 60 });

const append = (state: LiveLead, ...events: LeadEvent[]): LiveLead => {
  const after = events.reduce(lead.evolve, state);
  if (!after) throw new Error('It was not deleted.');
  return after;
};
/** After as many attempts that nobody answered, where ten are wanted. */
function unanswered(state: LiveLead, times: number, contact_id: number | null = null): LiveLead {
  let after = state;
  for (let n = 0; n < times; n += 1) {
    const about = { campaign_id: 5, attempt: after.attempts + 1, contact_id, at: now.toISOString() };
    after = append(after, { type: 'LeadQueued', data: { ...about, channel: 'call' } });
    const next = whatComesNext(after, 'no_answer', wanted(10), now);
    const outcome = { outcome: 'no_answer', reason: 'The line was busy.', next } as const;
    after = append(after, { type: 'LeadAttemptEnded', data: { ...about, ...outcome } });
  }
  return after;
}
const created = given(lead, ...golden<LeadEvent>('LeadCreated.v1'));
if (!created) throw new Error('The golden file has a lead.');
const [first, second] = created.contacts.map(({ id }) => id);
if (first === undefined || second === undefined) throw new Error('It has two contacts.');

test('a retry is dropped where as many attempts were made as are wanted now, and whoever is next follows', () => {
  const waiting = unanswered(created, 2);
  expect(droppedRetry(waiting, wanted(3), now)).toBeUndefined();
  const dropped = droppedRetry(waiting, wanted(2), now);
  expect(dropped).toEqual({
    type: 'LeadRetryDropped',
    data: {
      ...{ campaign_id: 5, attempt: 2, contact_id: null, at: now.toISOString() },
      next: { contact_id: first, due_at: now.toISOString() },
    },
  });
  const after = dropped && append(waiting, dropped);
  expect(after).toMatchObject({ status: 'queued', next: { contactId: first } });
  expect(after && droppedRetry(after, wanted(1), now)).toBeUndefined();
});

test('of the last contact nobody follows, and the lead was not reached', () => {
  const all = unanswered(unanswered(unanswered(created, 1), 1, first), 1, second);
  const dropped = droppedRetry(all, wanted(1), now);
  expect(dropped).toMatchObject({ data: { contact_id: second, next: null } });
  const after = dropped && append(all, dropped);
  expect(after).toMatchObject({ status: 'no_answer', reason: 'The line was busy.', next: null });
  expect(after?.contacts.find(({ id }) => id === second)?.status).toBe('no_answer');
  expect(after && droppedRetry(after, wanted(1), now)).toBeUndefined();
});

test('a retry that may have been asked for is not dropped, but one is that was given back for later', () => {
  const about = { campaign_id: 5, attempt: 3, contact_id: null, at: now.toISOString() };
  const givenBack = (due_at: string) =>
    append(
      unanswered(created, 2),
      { type: 'LeadQueued', data: { ...about, channel: 'call' } },
      { type: 'LeadAttemptWithdrawn', data: { ...about, reason: 'busy', due_at, is_outcome_unknown: false } },
    );
  expect(droppedRetry(givenBack(about.at), wanted(1), now)).toBeUndefined();
  expect(droppedRetry(givenBack('2026-11-21T10:30:05.000Z'), wanted(1), now)).toMatchObject({
    type: 'LeadRetryDropped',
  });
});

test('no first attempt is dropped, nor one that was given back, nor one at another number', () => {
  expect(droppedRetry(created, wanted(1), now)).toBeUndefined();
  const about = { campaign_id: 5, attempt: 1, contact_id: null, at: now.toISOString() };
  const withdrawn = append(
    created,
    { type: 'LeadQueued', data: { ...about, channel: 'call' } },
    {
      type: 'LeadAttemptWithdrawn',
      data: { ...about, reason: 'busy', due_at: now.toISOString(), is_outcome_unknown: false },
    },
  );
  expect(droppedRetry(withdrawn, wanted(1), now)).toBeUndefined();
  const moved = append(unanswered(created, 2), {
    type: 'LeadPhoneNumberChanged',
    data: { phone_number: '+4915112345000', variables: null, at: now.toISOString() },
  });
  expect(droppedRetry(moved, wanted(1), now)).toBeUndefined();
});
