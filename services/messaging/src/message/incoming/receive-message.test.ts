import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { replyTimer } from '../../ai-reply/reply-timer.ts';
import { message } from '../message.ts';
import { receiveMessage } from './receive-message.ts';

const [event] = golden<MessageEvent>('MessageReceived.v1');
if (event?.type !== 'MessageReceived') throw new Error('There is no message.');
const received = event.data;

test('what a contact wrote is on record once, together with the timer that asks for an answer', () => {
  const timers = [replyTimer(received.message_id)];
  expect(receiveMessage(null, received, true)).toEqual({ events: [event], timers, reply: '{}' });
  const state = given(message, event);
  expect(state).toEqual({ direction: 'inbound', received, notAnswered: null });
  expect(receiveMessage(state, received, true)).toEqual({ code: 'contended' });
});

test('nobody is asked for an answer where the assistant does not answer', () => {
  for (const text of ['Hi', null])
    expect(receiveMessage(null, { ...received, text }, false)).toMatchObject({
      events: [{ type: 'MessageReceived' }],
      timers: [],
    });
});

test('that the assistant cannot answer what has no words is on record with it', () => {
  const { message_id, conversation_id } = received;
  const voice = { ...received, kind: 'audio', text: null };
  expect(receiveMessage(null, voice, true)).toEqual({
    events: [
      { type: 'MessageReceived', data: voice },
      { type: 'MessageNotAnswered', data: { message_id, conversation_id, reason: 'no_text' } },
    ],
    timers: [],
    reply: '{}',
  });
});

test.each(['reaction', 'revoke', 'pin', 'keep_in_chat'])('nobody waits for an answer to a %s', (kind) => {
  const events = [{ type: 'MessageReceived' }];
  for (const text of [null, '👍'])
    expect(receiveMessage(null, { ...received, kind, text }, true)).toMatchObject({ events, timers: [] });
});
