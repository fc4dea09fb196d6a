import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { message } from './message.ts';
import { receiveMessage } from './receive-message.ts';

test('what a contact wrote is on record once, together with the timers that ask for an answer', () => {
  const [event] = golden<MessageEvent>('MessageReceived.v1');
  if (event?.type !== 'MessageReceived') throw new Error('There is no message.');
  const timers = [{ id: 't', kind: 'k', due: { afterMs: 0 }, payload: {} }];
  const decision = receiveMessage(null, event.data, timers);
  expect(decision).toEqual({ events: [event], timers, reply: '{}' });
  const state = given(message, event);
  expect(state).toEqual({ direction: 'inbound', received: event.data, notAnswered: null });
  expect(receiveMessage(state, event.data, timers)).toEqual({ code: 'contended' });
});
