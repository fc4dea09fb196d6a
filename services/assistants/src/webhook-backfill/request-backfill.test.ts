import { given } from '@parley/testing';
import { expect, test } from 'vitest';
import { backfill } from './backfill.ts';
import { requestBackfill } from './request-backfill.ts';

const first = '5f0c3f0a-6f0e-4b8e-9a55-2f6b0d1c7e42';
const second = '0b8a1a8e-6d0b-4a36-8f1e-1f6c4f0e2a11';
const about = { event: 'post_call', since: '2026-11-20T09:30:00.000Z' } as const;
const command = {
  ...about,
  backfillId: second,
  range: { from: 3, to: 9 },
  nextSince: null,
  isUnderWay: false,
};
const requested = {
  type: 'WebhookBackfillRequested',
  data: { ...about, backfill_id: first, from_sequence: 3, to_sequence: 7 },
} as const;
const finished = { type: 'WebhookBackfillFinished', data: { backfill_id: first } } as const;

test('the first one begins, with all that there is since the moment', () => {
  const { events, reply } = requestBackfill(null, command);
  expect(events).toMatchObject([{ data: { backfill_id: second, from_sequence: 3, to_sequence: 9 } }]);
  expect(reply.data).toMatchObject({ backfill_id: second, webhooks: 7, from_sequence: 3, to_sequence: 9 });
});

test('one that is under way is not begun again', () => {
  for (const state of [given(backfill, requested), given(backfill, requested, finished)]) {
    const { events, reply } = requestBackfill(state, { ...command, isUnderWay: true });
    expect(events).toEqual([]);
    expect(reply.data).toMatchObject({ backfill_id: first, webhooks: 5 });
  }
});

test('one that nobody goes on with is begun again', () => {
  expect(requestBackfill(given(backfill, requested), command).events).toHaveLength(1);
});

test('one that is over can be had again', () => {
  expect(requestBackfill(given(backfill, requested, finished), command).events).toHaveLength(1);
});

test('without anything to send there is none', () => {
  const { events, reply } = requestBackfill(null, { ...command, range: null });
  expect(events).toEqual([]);
  expect(reply.data).toMatchObject({ backfill_id: null, webhooks: 0, from_sequence: null });
});
