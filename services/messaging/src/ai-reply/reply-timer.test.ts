import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { recordNotAnswered } from '../message/incoming/not-answered.ts';
import { message } from '../message/message.ts';
import { holdReply } from './reply-timer.ts';

const heard = given(message, ...golden<MessageEvent>('MessageReceived.v1'));

/** In how many milliseconds the reply's timer is due. */
const dueAfter = (state: typeof heard, sinceMs: number) =>
  holdReply(state, { attempt: 3, sinceMs }).timers?.map(({ due, payload }) => [due, payload.attempt]);

test('the timer of a reply that is under way stays where it is at first, and then ahead of it', () => {
  expect(dueAfter(heard, 10_000)).toEqual([[{ afterMs: 20_000 }, 3]]);
  expect(dueAfter(heard, 40_000)).toEqual([[{ afterMs: 15_000 }, 3]]);
});

test('a message that is on record as not answered gets no timer again', () => {
  const decided = recordNotAnswered(heard, 'model_refused');
  const refused = 'events' in decided ? decided.events.reduce(message.evolve, heard) : heard;
  expect(dueAfter(refused, 10_000)).toEqual([]);
});
