import type { MessageEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import { message, type StartedSend } from '../message.ts';

export const start: StartedSend = {
  message_id: 31,
  conversation_id: 4,
  conversation_uuid: '0193e2a0-0000-7000-8000-000000000004',
  sender_id: 2,
  contact_phone: '+491701234567',
  chatapp_message_id: 27,
  author: 'person',
  kind: 'template',
  template_id: 8,
  body: 'Hello',
  price_micros: 50_000,
  hold_id: 'hold-1',
  command_id: 'command-1',
  command_fingerprint: 'content-1',
  in_reply_to: null,
  reference: 'message-31-0a1b2c3d4e5f',
};
export const started: MessageEvent = { type: 'MessageSendStarted', data: start };
export const sent: MessageEvent = { type: 'MessageSent', data: { message_id: 31, message_sid: 'wamid.1' } };
export const unknown: MessageEvent = {
  type: 'MessageOutcomeUnknown',
  data: { message_id: 31, reason: 'no answer' },
};
export const failed: MessageEvent = {
  type: 'MessageFailed',
  data: { message_id: 31, code: '1', reason: 'no' },
};
export const undeliverable: MessageEvent = {
  type: 'MessageUndeliverable',
  data: { message_id: 31, at: '2026-11-21T09:30:02.000Z', code: '131026', reason: 'no', cause_id: null },
};
export const dropped: MessageEvent = { type: 'MessageDropped', data: { message_id: 31 } };
export const queued = given(message, started);
