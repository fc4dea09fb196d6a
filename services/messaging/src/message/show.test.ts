import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { message } from './message.ts';
import { showMessage } from './show.ts';

const shown = (...names: readonly string[]) => showMessage(given(message, ...golden<MessageEvent>(...names)));

test('the history of a message of ours tells how far it came, and why no further', () => {
  expect(shown('MessageSendStarted.v1')).toMatchObject({ status: 'queued', message_sid: null, error: null });
  expect(shown('MessageSendStarted.v1', 'MessageSent.v1')).toMatchObject({
    direction: 'outbound',
    status: 'sent',
    message_sid: expect.any(String),
  });
  expect(shown('MessageSendStarted.v1', 'MessageFailed.v1')).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/./),
  });
  expect(shown('MessageSendStarted.v1', 'MessageOutcomeUnknown.v1', 'MessageDelivered.v1')).toMatchObject({
    status: 'delivered',
    error: null,
  });
});

test('a message of ours is shown as a template or as text', () => {
  const [started] = golden<Extract<MessageEvent, { type: 'MessageSendStarted' }>>('MessageSendStarted.v1');
  if (!started) throw new Error('The golden file holds it.');
  const typeOf = (kind: typeof started.data.kind) =>
    showMessage(given(message, { ...started, data: { ...started.data, kind } }))?.type;
  expect(typeOf('template')).toBe('template');
  expect(typeOf('freeform')).toBe('text');
});

test('what a customer wrote is shown as theirs', () =>
  expect(shown('MessageReceived.v1')).toMatchObject({
    direction: 'inbound',
    author: 'contact',
    status: 'received',
    error: null,
  }));

test('what a customer wrote is shown with what it goes back to, where somebody noted that', () => {
  expect(shown('MessageReceived.v1')).toMatchObject({ in_reply_to_sid: null, is_forwarded: null });
  expect(shown('MessageReceived.v2')).toMatchObject({
    in_reply_to_sid: 'wamid.SXMgaXQgcmVhZHk',
    is_forwarded: false,
    payload: 'ask-when-ready',
    referral: { headline: 'Repairs in a day' },
  });
});

test('the history of what a customer wrote tells why the assistant did not answer it', () =>
  expect(shown('MessageReceived.v1', 'MessageNotAnswered.v1')).toMatchObject({
    status: 'received',
    error: expect.stringMatching(/./),
  }));

test('nothing is shown of a message that was given up before it was handed over', () =>
  expect(shown('MessageDropped.v1')).toBeNull());
