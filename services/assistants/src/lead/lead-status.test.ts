import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { type AttemptEvent, statusesAfter } from './lead-status.ts';

const at = '2026-11-21T10:00:00.000Z';

test.each(['LeadQueued', 'LeadAttemptWithdrawn'] as const)(
  'whom an attempt is to reach waits: %s',
  (type) => {
    const [event] = golden<Extract<AttemptEvent, { type: typeof type }>>(`${type}.v1`);
    expect(event && statusesAfter(event)).toEqual({ lead: 'queued', contact: 'queued' });
  },
);

test('whom an attempt has reached after all was reached', () => {
  const [event] = golden<AttemptEvent>('LeadAttemptCorrected.v1');
  expect(event && statusesAfter(event)).toEqual({ lead: 'completed', contact: 'completed' });
});

test('a contact waits again when the next attempt is its own', () => {
  const ended = (next: number | null) =>
    statusesAfter({
      type: 'LeadAttemptEnded',
      data: {
        campaign_id: 5,
        attempt: 1,
        contact_id: 13,
        outcome: 'no_answer',
        reason: null,
        next: next === null ? null : { contact_id: next, due_at: at },
        at,
      },
    });
  expect(ended(13)).toEqual({ lead: 'queued', contact: 'queued' });
  expect(ended(14)).toEqual({ lead: 'queued', contact: 'no_answer' });
  expect(ended(null)).toEqual({ lead: 'no_answer', contact: 'no_answer' });
});

test('who is not called again did not answer, and the lead waits only for somebody else', () => {
  const dropped = (next: number | null) =>
    statusesAfter({
      type: 'LeadRetryDropped',
      data: {
        ...{ campaign_id: 5, attempt: 2, contact_id: 13, at },
        next: next === null ? null : { contact_id: next, due_at: at },
      },
    });
  expect(dropped(14)).toEqual({ lead: 'queued', contact: 'no_answer' });
  expect(dropped(null)).toEqual({ lead: 'no_answer', contact: 'no_answer' });
});
