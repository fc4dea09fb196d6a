import type { AssistantEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { assistant } from './assistant.ts';
import { createAssistant } from './create-assistant.ts';
import type { Facts } from './facts.ts';
import { allIsWell, leastInput } from './settings.fixture.ts';
import { settingsOf } from './settings.ts';

const accountId = 3;
const uuid = '0b9f3c1e-5d0a-4c1b-9b57-3f2d6a1c8e40';
const created = (input: Partial<typeof leastInput> = {}): AssistantEvent => ({
  type: 'AssistantCreated',
  data: { id: 12, uuid, settings: settingsOf({ ...leastInput, ...input }) },
});
const state = (...events: AssistantEvent[]) => given(assistant, created(), ...events);
const scope = 'inbound-number:3';
const owner = 'assistant-12';

describe('a new assistant', () => {
  const create = (extra: Partial<typeof leastInput>, facts: Partial<Facts> = {}) =>
    createAssistant(
      null,
      { accountId, id: 12, uuid, input: { ...leastInput, ...extra } },
      { ...allIsWell, ...facts },
    );

  test('is inactive and has what was sent, and defaults for the rest', () => {
    expect(create({ max_duration: 60 })).toMatchObject({
      events: [created({ max_duration: 60 })],
      claims: [],
      reply: {
        message: 'Assistant created successfully',
        data: { id: 12, uuid, name: 'Ada', status: 'inactive', type: 'inbound', mode: 'pipeline' },
      },
    });
    expect(state()).toMatchObject({ status: 'inactive', max_duration: 600, deleted_at: null });
  });

  test('takes its number for itself when it answers calls, and shares it when it makes them', () => {
    expect(create({ phone_number_id: 9 })).toMatchObject({
      claims: [{ op: 'take', scope, key: '9', owner }],
    });
    expect(create({ phone_number_id: 9, type: 'outbound' })).toMatchObject({ claims: [] });
  });

  test.each([
    ['A caller ID', { kind: 'caller_id', takes_calls: true }],
    ['A number for SMS alone', { kind: 'normal', takes_calls: false }],
  ] as const)(
    'cannot answer calls on a number that nobody can call, and can make them with one: %s',
    (what, number) => {
      expect(create({ phone_number_id: 9 }, { number })).toMatchObject({
        code: 'invalid',
        fields: { phone_number_id: [`${what} cannot be called: an inbound assistant needs another number.`] },
      });
      expect(create({ phone_number_id: 9, type: 'outbound' }, { number })).toMatchObject({ claims: [] });
    },
  );

  test('is refused with every fault it has', () => {
    const wrong = {
      llm_model_id: null,
      folder_id: 1,
      label_ids: [2, 3],
      knowledgebase_id: 4,
      phone_number_id: 5,
      is_webhook_active: true,
      inbound_webhook_url: 'x',
    };
    const facts: Facts = { isOwn: (_, id) => id === 2, number: null, urlFault: () => 'must be a valid URL.' };
    expect(create(wrong, facts)).toEqual({
      code: 'invalid',
      fields: {
        llm_model_id: ['The llm model id field is required when mode is pipeline.'],
        webhook_url: ['The webhook url field is required when is webhook active is true.'],
        inbound_webhook_url: ['The inbound webhook url field must be a valid URL.'],
        folder_id: ['The selected folder id is invalid.'],
        knowledgebase_id: ['The selected knowledgebase id is invalid.'],
        'label_ids.1': ['The selected label ids.1 is invalid.'],
        phone_number_id: ['The selected phone number id is invalid.'],
      },
    });
  });

  test('cannot be larger than a page of a hundred can hold', () => {
    const variables = { long: 'x'.repeat(130_000) };
    expect(create({ variables })).toEqual({
      code: 'invalid',
      fields: {
        variables: ['The settings of an assistant must not be larger than 131072 characters in all.'],
      },
    });
  });

  test('a taken number is a fault of that field', () => {
    const decision = create({ phone_number_id: 9 });
    const claim = { kind: 'claim-taken', scope, key: '9', owner } as const;
    expect('onClaimTaken' in decision && decision.onClaimTaken?.(claim)).toEqual({
      code: 'invalid',
      fields: { phone_number_id: ['The phone number is already assigned to another inbound assistant.'] },
    });
  });
});

test('histories written by every earlier version still fold to what they meant', () => {
  const history = golden<AssistantEvent>(
    'AssistantCreated.v1',
    'AssistantRenamed.v1',
    'AssistantSettingsChanged.v1',
    'AssistantActivated.v1',
    'AssistantMovedToFolder.v1',
    'AssistantLabelled.v1',
    'AssistantKnowledgebaseChanged.v1',
    'AssistantNumberChanged.v1',
    'InboundWebhookEnabled.v1',
    'WebhookEnabled.v1',
  );
  const folded = given(assistant, ...history);
  expect(folded).toMatchObject({
    id: 12,
    name: 'Sales\tEMEA',
    type: 'outbound',
    status: 'active',
    llm_temperature: '0.25',
    voice_stability: '0.70',
    tools: [],
    variables: { customer: 'wer?' },
    folder_id: null,
    label_ids: [8],
    knowledgebase_id: null,
    phone_number_id: null,
    is_webhook_active: true,
    webhook_url: 'http://127.0.0.1:4000/hook',
    inbound_webhook_url: 'https://example.com/inbound',
    deleted_at: null,
  });
  for (const version of ['v1', 'v2']) {
    const ended = golden<AssistantEvent>(
      'AssistantDeactivated.v1',
      `WebhookDisabled.${version}`,
      `InboundWebhookDisabled.${version}`,
      'AssistantDeleted.v1',
    );
    expect(given(assistant, ...history, ...ended)).toEqual({
      ...folded,
      status: 'inactive',
      is_webhook_active: false,
      webhook_url: null,
      inbound_webhook_url: null,
      deleted_at: '2026-11-21T09:30:00.000Z',
    });
  }
});
