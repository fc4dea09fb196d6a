import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { message } from '../message.ts';
import { queued } from '../outgoing/outgoing.fixture.ts';
import { recordNotAnswered } from './not-answered.ts';

const received = given(message, ...golden<MessageEvent>('MessageReceived.v1'));

test('that a message is not answered is on record once, whoever finds out how often and why', () => {
  const [event] = golden<MessageEvent>('MessageNotAnswered.v1');
  const { events } = recordNotAnswered(received, 'given_up');
  expect(events).toEqual([event]);
  const state = given(message, ...golden<MessageEvent>('MessageReceived.v1'), ...events);
  expect(recordNotAnswered(state, 'given_up').events).toEqual([]);
  expect(recordNotAnswered(state, 'model_refused').events).toEqual([]);
});

test('only what a contact wrote could have been answered', () => {
  expect(recordNotAnswered(null, 'given_up').events).toEqual([]);
  expect(recordNotAnswered(queued, 'given_up').events).toEqual([]);
});
