import type { SenderEvent } from '@parley/contracts';
import type { ChatNumber } from '@parley/providers';
import { given, golden } from '@parley/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connectSender } from './connect-sender.ts';
import { disconnectSender } from './disconnect-sender.ts';
import { observeNumber } from './observe-number.ts';
import { type Sender, sender } from './sender.ts';
import { showSender, toItem } from './sender-item.ts';
import { updateSender } from './update-sender.ts';

const number: ChatNumber = {
  phoneNumberId: '11',
  accountId: '22',
  phoneNumber: '+442079460123',
  displayName: 'Platform',
  isOnline: true,
  qualityRating: 'GREEN',
  messagingLimit: 1_000,
  isCallingEnabled: false,
};
const command = { id: 12, accountId: 3, displayName: 'Acme', assistantId: 7, number };

function connected(changes: Partial<ChatNumber> = {}): NonNullable<Sender> {
  const { events } = connectSender(null, { ...command, number: { ...number, ...changes } });
  const state = given(sender, ...events);
  if (!state) throw new Error('There is no sender.');
  return state;
}

const after = (state: Sender, events: readonly SenderEvent[]) => events.reduce(sender.evolve, state);

test('connecting takes the number for one account and starts following the platform', () => {
  const decision = connectSender(null, command);
  expect(decision.claims).toEqual([{ op: 'take', scope: 'chat-number', key: '11', owner: 'sender-12' }]);
  expect(decision.timers).toEqual([
    {
      id: 'sync-sender-12',
      kind: 'sync-sender',
      due: { afterMs: 300_000 },
      payload: { sender_id: 12, account_id: 3 },
    },
    {
      id: 'sync-templates-12',
      kind: 'sync-templates',
      due: { afterMs: 5_000 },
      payload: { sender_id: 12, account_id: 3 },
    },
  ]);
  expect(decision.reply.data).toEqual({
    id: 12,
    phone_number: '+442079460123',
    display_name: 'Acme',
    status: 'online',
    quality_rating: 'GREEN',
    messaging_limit: 1_000,
    messaging_limit_formatted: '1000 / 24hr',
    voice_calling_enabled: false,
    assistant_id: 7,
  });
});

test('a number that was not rated yet counts as good', () => {
  expect(connected({ qualityRating: null }).qualityRating).toBe('GREEN');
});

describe('an update', () => {
  test('changes only what is given, and nothing when nothing differs', () => {
    const state = connected();
    const decide = (change: Parameters<typeof updateSender>[1]) => updateSender(state, change);
    expect(decide({ displayName: 'Other' })).toMatchObject({
      events: [{ type: 'SenderRenamed', data: { display_name: 'Other' } }],
      reply: { data: { display_name: 'Other', assistant_id: 7 } },
    });
    expect(decide({ assistantId: null })).toMatchObject({
      events: [{ type: 'SenderAssistantChanged', data: { assistant_id: null } }],
      reply: { data: { display_name: 'Acme', assistant_id: null } },
    });
    for (const change of [{}, { displayName: 'Acme' }, { assistantId: 7 }])
      expect(decide(change)).toMatchObject({ events: [] });
  });

  test('of nobody is not found', () => {
    expect(updateSender(null, {})).toEqual({ code: 'not_found' });
  });
});

describe('what the platform says', () => {
  test('becomes the changes it comes to', () => {
    const observed = {
      ...number,
      isOnline: false,
      qualityRating: 'RED',
      messagingLimit: null,
      isCallingEnabled: true,
    } as const;
    expect(observeNumber(connected(), observed)).toEqual([
      { type: 'SenderStatusChanged', data: { status: 'offline' } },
      { type: 'SenderQualityChanged', data: { quality_rating: 'RED' } },
      { type: 'SenderMessagingLimitChanged', data: { messaging_limit: null } },
      { type: 'SenderVoiceCallingChanged', data: { voice_calling_enabled: true } },
    ]);
  });

  test('about a number it no longer knows is that it is offline', () => {
    const state = connected();
    const events = observeNumber(state, null);
    expect(events).toEqual([{ type: 'SenderStatusChanged', data: { status: 'offline' } }]);
    expect(observeNumber(after(state, events) ?? state, null)).toEqual([]);
  });

  test('is what the sender is afterwards, and saying it again changes nothing', () => {
    const observed = fc.record({
      isOnline: fc.boolean(),
      qualityRating: fc.constantFrom('GREEN', 'YELLOW', 'RED', null),
      messagingLimit: fc.option(fc.nat()),
      isCallingEnabled: fc.boolean(),
    });
    fc.assert(
      fc.property(observed, observed, (before, now) => {
        const state = connected(before);
        const seen = { ...number, ...now };
        const changed = after(state, observeNumber(state, seen));
        expect(changed).toEqual({
          ...state,
          status: now.isOnline ? 'online' : 'offline',
          qualityRating: now.qualityRating ?? state.qualityRating,
          messagingLimit: now.messagingLimit,
          voiceCallingEnabled: now.isCallingEnabled,
        });
        expect(observeNumber(changed ?? state, seen)).toEqual([]);
      }),
    );
  });
});

test('disconnecting frees the number, and stops following the platform', () => {
  const decision = disconnectSender(connected());
  expect(decision).toEqual({
    events: [{ type: 'SenderDisconnected', data: {} }],
    claims: [{ op: 'release', scope: 'chat-number', key: '11', owner: 'sender-12' }],
    cancelTimers: ['sync-sender-12', 'sync-templates-12'],
    reply: { message: 'Sender disconnected successfully' },
  });
  const gone = after(connected(), golden<SenderEvent>('SenderDisconnected.v1'));
  expect(gone).toBeNull();
  expect(disconnectSender(gone)).toEqual({ code: 'not_found' });
});

test('events as they were once written still make a sender', () => {
  const state = given(sender, ...golden<SenderEvent>('SenderConnected.v1'));
  expect(state).toEqual({
    id: 12,
    phoneNumber: '+442079460123',
    displayName: 'Łucja\'s "Café"',
    assistantId: 7,
    phoneNumberId: '106540352242922',
    platformAccountId: '102290129340398',
    status: 'online',
    qualityRating: 'GREEN',
    messagingLimit: 1_000,
    voiceCallingEnabled: true,
  });
  const changes = golden<SenderEvent>(
    'SenderRenamed.v1',
    'SenderAssistantChanged.v1',
    'SenderStatusChanged.v1',
    'SenderQualityChanged.v1',
    'SenderMessagingLimitChanged.v1',
    'SenderVoiceCallingChanged.v1',
  );
  expect(after(state, changes)).toEqual({
    ...state,
    displayName: 'Café Łucja 東京',
    assistantId: null,
    status: 'offline',
    qualityRating: 'RED',
    messagingLimit: null,
    voiceCallingEnabled: false,
  });
});

test('an id is given out once', () => expect(() => connectSender(connected(), command)).toThrow('twice'));

test('a limit is shown in words beside its number, and once in the history', () => {
  const limited = connected();
  expect(toItem(limited)).toMatchObject({ messaging_limit_formatted: '1000 / 24hr' });
  const unlimited = connected({ messagingLimit: null });
  expect(toItem(unlimited)).toMatchObject({ messaging_limit: null, messaging_limit_formatted: 'Unlimited' });
  expect(showSender(limited)).toMatchObject({ id: 12, messaging_limit: 1_000 });
  expect(showSender(limited)).not.toHaveProperty('messaging_limit_formatted');
  expect(showSender(null)).toBeNull();
});
