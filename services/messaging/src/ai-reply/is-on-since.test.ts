import type { ConversationEvent } from '@parley/contracts';
import { recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { isOnSince } from './is-on-since.ts';

const conversation_id = 1;
const on: ConversationEvent = { type: 'ConversationAiEnabled', data: { conversation_id } };
const off: ConversationEvent = {
  type: 'ConversationAiDisabled',
  data: { conversation_id, reason: 'takeover' },
};
const named: ConversationEvent = {
  type: 'ConversationContactNamed',
  data: { conversation_id, contact_name: 'Ada' },
};
const started: ConversationEvent = {
  type: 'ConversationStarted',
  data: { conversation_id, uuid: '', sender_id: 1, contact_phone: '', contact_name: null },
};

/** The conversation's events at positions 1, 11, 21, … */
const history = (...events: readonly ConversationEvent[]) =>
  events.map((event, index) => recorded(event, { position: index * 10 + 1 }));

test('a message is answered when replies were on as it came, and have been ever since', () => {
  expect(isOnSince(history(started), 5)).toBe(true);
  expect(isOnSince(history(started, named), 5)).toBe(true);
  expect(isOnSince(history(started, off, on), 25)).toBe(true);
});

test('a message is not answered when replies were off as it came, or were put off later, on again or not', () => {
  expect(isOnSince(history(started, off), 5)).toBe(false);
  expect(isOnSince(history(started, off), 15)).toBe(false);
  expect(isOnSince(history(started, off, on), 5)).toBe(false);
  expect(isOnSince(history(started, off, on), 15)).toBe(false);
  expect(isOnSince([], 5)).toBe(false);
});
