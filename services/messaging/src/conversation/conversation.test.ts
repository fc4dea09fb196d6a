import { type ConversationEvent, reject } from '@parley/contracts';
import { given, golden, recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { changeMarketing } from './change-marketing.ts';
import { conversation, showConversation } from './conversation.ts';
import { describeConversationEvent } from './describe.ts';
import { moveContact } from './move-contact.ts';
import { startConversation } from './start-conversation.ts';
import { disableAi, enableAi, nameContact } from './switch-ai.ts';

const command = {
  id: 4,
  uuid: '0193e2a0-0000-7000-8000-000000000004',
  senderId: 2,
  contactPhone: '+491701234567',
  contactName: 'Ada',
};
const started = startConversation(null, command).events;
const fresh = given(conversation, ...started);
const off = given(conversation, ...started, {
  type: 'ConversationAiDisabled',
  data: { conversation_id: 4, reason: 'request' },
});

describe('a conversation', () => {
  test('starts with AI replies on, as the only one of its sender and contact', () => {
    expect(fresh).toMatchObject({ id: 4, isAiEnabled: true, contactName: 'Ada' });
    expect(startConversation(null, command).claims).toEqual([
      { op: 'take', scope: 'conversation-of-sender:2', key: '+491701234567', owner: 'conversation-4' },
    ]);
  });

  test('records who switched AI replies off, once', () => {
    expect(disableAi(fresh, 'takeover')).toEqual({
      events: [{ type: 'ConversationAiDisabled', data: { conversation_id: 4, reason: 'takeover' } }],
      reply: { status: true, ai_enabled: false },
    });
    expect(disableAi(off, 'request')).toEqual({ events: [], reply: { status: true, ai_enabled: false } });
  });

  test('switches AI replies on again, once', () => {
    expect(enableAi(off)).toMatchObject({ events: [{ type: 'ConversationAiEnabled' }] });
    expect(enableAi(fresh)).toEqual({ events: [], reply: { status: true, ai_enabled: true } });
  });

  test('that does not exist is not found', () => {
    expect(enableAi(null)).toEqual(reject('not_found'));
    expect(disableAi(null, 'request')).toEqual(reject('not_found'));
  });

  test('takes a new name of its contact, and no empty or known one', () => {
    expect(nameContact(fresh, 'Grace')).toMatchObject({ events: [{ data: { contact_name: 'Grace' } }] });
    expect(nameContact(fresh, 'Ada')).toMatchObject({ events: [] });
    expect(nameContact(fresh, '')).toMatchObject({ events: [] });
  });
});

describe('a contact with another number', () => {
  const move = { movedTo: '+491707654321', at: '2026-11-28T09:30:00.000Z' };
  const moved = given(conversation, ...started, ...golden<ConversationEvent>('ConversationContactMoved.v1'));

  test('is on record with it, once', () => {
    expect(moveContact(fresh, move)).toMatchObject({ events: golden('ConversationContactMoved.v1') });
    expect(moved).toEqual({ ...fresh, moved: move });
    expect(showConversation(moved)).toMatchObject({
      customer_phone: '+491701234567',
      moved_to: move.movedTo,
    });
    expect(showConversation(fresh)).toMatchObject({ moved_to: null });
    expect(moveContact(moved, move)).toMatchObject({ events: [] });
  });

  test('is known by the newest, in whatever order they are told', () => {
    const movedTo = '+491700000000';
    expect(moveContact(moved, { movedTo, at: '2026-11-28T09:29:59.000Z' })).toMatchObject({ events: [] });
    expect(moveContact(moved, { movedTo, at: '2026-11-28T09:30:01.000Z' })).toMatchObject({
      events: [{ data: { moved_to: movedTo } }],
    });
  });

  test('has a conversation, or is nobody', () => {
    expect(moveContact(null, move)).toEqual(reject('not_found'));
    expect(given(conversation, ...golden<ConversationEvent>('ConversationContactMoved.v1'))).toBeNull();
  });
});

describe('a contact who wants no marketing messages', () => {
  const [stop, resume] = golden<ConversationEvent>(
    'ConversationMarketingStopped.v1',
    'ConversationMarketingResumed.v1',
  );
  const at = '2026-11-28T09:30:00.000Z';
  const later = '2026-11-28T10:30:00.000Z';
  const stopped = given(
    conversation,
    ...started,
    ...golden<ConversationEvent>('ConversationMarketingStopped.v1'),
  );
  const resumed = given(
    conversation,
    ...started,
    ...golden<ConversationEvent>('ConversationMarketingStopped.v1', 'ConversationMarketingResumed.v1'),
  );

  test('is on record with since when, once', () => {
    expect(changeMarketing(fresh, { isStopped: true, at })).toMatchObject({ events: [stop] });
    expect(showConversation(fresh)).toMatchObject({ marketing_stopped_at: null });
    expect(showConversation(stopped)).toMatchObject({ marketing_stopped_at: at });
    expect(changeMarketing(stopped, { isStopped: true, at })).toMatchObject({ events: [] });
  });

  test('may want them again, and what was chosen last counts, in whatever order they are told', () => {
    expect(changeMarketing(stopped, { isStopped: false, at: later })).toMatchObject({ events: [resume] });
    expect(showConversation(resumed)).toMatchObject({ marketing_stopped_at: null });
    expect(changeMarketing(resumed, { isStopped: true, at })).toMatchObject({ events: [] });
    expect(changeMarketing(fresh, { isStopped: false, at: later })).toMatchObject({ events: [resume] });
  });

  test('has a conversation, or is nobody', () => {
    expect(changeMarketing(null, { isStopped: true, at })).toEqual(reject('not_found'));
    const both = golden<ConversationEvent>(
      'ConversationMarketingStopped.v1',
      'ConversationMarketingResumed.v1',
    );
    for (const event of both) expect(given(conversation, event)).toBeNull();
  });
});

test('an id is given out once', () => expect(() => startConversation(fresh, command)).toThrow('twice'));

test.each([
  ['request', 'The assistant no longer answers: it was switched off.'],
  ['takeover', 'The assistant no longer answers: a person took over.'],
] as const)('that its assistant answers no more for a %s can be read in its history', (reason, sentence) =>
  expect(
    describeConversationEvent(
      recorded({ type: 'ConversationAiDisabled', data: { conversation_id: 4, reason } }),
    ),
  ).toBe(sentence),
);

test('what happens to a conversation that never started changes nothing', () => {
  const named = golden<ConversationEvent>('ConversationContactNamed.v1', 'ConversationAiEnabled.v1');
  expect(
    given(conversation, ...named, {
      type: 'ConversationAiDisabled',
      data: { conversation_id: 4, reason: 'request' },
    }),
  ).toBeNull();
  expect(nameContact(null, 'Ada')).toEqual(reject('not_found'));
  expect(
    given(conversation, ...started, ...golden<ConversationEvent>('ConversationContactNamed.v1')),
  ).toMatchObject({
    contactName: expect.any(String),
    isAiEnabled: true,
  });
});
