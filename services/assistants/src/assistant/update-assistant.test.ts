import type { AssistantChange, AssistantEvent } from '@parley/contracts';
import { given } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { assistant } from './assistant.ts';
import { deleteAssistant } from './delete-assistant.ts';
import type { Facts } from './facts.ts';
import { labelAssistant } from './label-assistant.ts';
import { dropReferences } from './references/drop-references.ts';
import { allIsWell, leastInput } from './settings.fixture.ts';
import { settingsOf } from './settings.ts';
import { updateAssistant } from './update-assistant.ts';

const accountId = 3;
const uuid = '0b9f3c1e-5d0a-4c1b-9b57-3f2d6a1c8e40';
const created = (input: Partial<typeof leastInput> = {}): AssistantEvent => ({
  type: 'AssistantCreated',
  data: { id: 12, uuid, settings: settingsOf({ ...leastInput, ...input }) },
});
const state = (...events: AssistantEvent[]) => given(assistant, created(), ...events);
const update = (present: ReturnType<typeof state>, change: AssistantChange, facts: Facts = allIsWell) =>
  updateAssistant(present, { accountId, change }, facts);
const scope = 'inbound-number:3';
const owner = 'assistant-12';

describe('a change', () => {
  const changes: [string, AssistantChange, AssistantEvent[]][] = [
    ['a name', { name: 'Bo' }, [{ type: 'AssistantRenamed', data: { name: 'Bo' } }]],
    ['the status', { status: 'active' }, [{ type: 'AssistantActivated', data: {} }]],
    ['a folder', { folder_id: 7 }, [{ type: 'AssistantMovedToFolder', data: { folder_id: 7 } }]],
    ['labels', { label_ids: [2, 1, 2] }, [{ type: 'AssistantLabelled', data: { label_ids: [2, 1] } }]],
    [
      'a knowledgebase',
      { knowledgebase_id: 4 },
      [{ type: 'AssistantKnowledgebaseChanged', data: { knowledgebase_id: 4 } }],
    ],
    ['a number', { phone_number_id: 9 }, [{ type: 'AssistantNumberChanged', data: { phone_number_id: 9 } }]],
    [
      'the webhook',
      { is_webhook_active: true, webhook_url: 'https://a.example' },
      [{ type: 'WebhookEnabled', data: { webhook_url: 'https://a.example' } }],
    ],
    [
      'the inbound webhook',
      { inbound_webhook_url: 'https://a.example' },
      [{ type: 'InboundWebhookEnabled', data: { inbound_webhook_url: 'https://a.example' } }],
    ],
    [
      'a URL for later',
      { webhook_url: 'https://a.example' },
      [{ type: 'AssistantSettingsChanged', data: { changed: { webhook_url: 'https://a.example' } } }],
    ],
    [
      'other settings',
      { max_duration: 60, llm_temperature: 0.5, record: true },
      [
        {
          type: 'AssistantSettingsChanged',
          data: { changed: { max_duration: 60, llm_temperature: '0.50', record: true } },
        },
      ],
    ],
  ];

  test.each(changes)(
    'of %s is the event that says so, and no event when it is there already',
    (_, change, events) => {
      const decision = update(state(), change);
      expect(decision).toMatchObject({ events });
      expect(update(state(...events), change)).toMatchObject({ events: [] });
    },
  );

  test('of everything at once is one event for each fact', () => {
    const all = Object.assign({}, ...changes.map(([, change]) => change));
    const decision = update(state(), all);
    expect('events' in decision && decision.events.map(({ type }) => type)).toEqual([
      'AssistantRenamed',
      'AssistantSettingsChanged',
      'AssistantMovedToFolder',
      'AssistantLabelled',
      'AssistantKnowledgebaseChanged',
      'AssistantNumberChanged',
      'WebhookEnabled',
      'InboundWebhookEnabled',
      'AssistantActivated',
    ]);
  });

  test('to null restores the default', () => {
    const changed = state({ type: 'AssistantSettingsChanged', data: { changed: { max_duration: 60 } } });
    expect(update(changed, { max_duration: null })).toMatchObject({
      events: [{ type: 'AssistantSettingsChanged', data: { changed: { max_duration: 600 } } }],
    });
  });

  test('of the number, or of the type, hands the number over', () => {
    const withNumber = state({ type: 'AssistantNumberChanged', data: { phone_number_id: 9 } });
    const [release, take] = [
      { op: 'release', scope, key: '9', owner },
      { op: 'take', scope, key: '10', owner },
    ];
    expect(update(withNumber, { phone_number_id: 10 })).toMatchObject({ claims: [release, take] });
    expect(update(withNumber, { phone_number_id: null })).toMatchObject({ claims: [release] });
    expect(update(withNumber, { type: 'outbound' })).toMatchObject({ claims: [release] });
    expect(update(withNumber, { name: 'Bo' })).toMatchObject({ claims: [] });
    expect(deleteAssistant(withNumber, { accountId, now: new Date(0) })).toMatchObject({ claims: [release] });
  });

  test('from outbound to inbound asks whether its number can be called', () => {
    const outbound = given(assistant, created({ type: 'outbound', phone_number_id: 9 }));
    expect(update(outbound, { type: 'inbound' })).toMatchObject({ claims: [{ op: 'take', key: '9' }] });
    expect(
      update(
        outbound,
        { type: 'inbound' },
        { ...allIsWell, number: { kind: 'caller_id', takes_calls: true } },
      ),
    ).toMatchObject({ code: 'invalid' });
  });

  test('is not refused for what was there already, and takes out what is deleted', () => {
    const placed = given(
      assistant,
      created({ folder_id: 7, label_ids: [1, 2], webhook_url: 'http://10.0.0.1' }),
    );
    const facts: Facts = { isOwn: (_, id) => id === 2, number: 'unchecked', urlFault: () => 'is bad.' };
    expect(update(placed, { name: 'Bo' }, facts)).toMatchObject({
      events: [
        { type: 'AssistantRenamed' },
        { type: 'AssistantMovedToFolder', data: { folder_id: null } },
        { type: 'AssistantLabelled', data: { label_ids: [2] } },
      ],
    });
    expect(update(placed, { folder_id: 7 }, facts)).toMatchObject({
      fields: { folder_id: expect.anything() },
    });
  });

  test.each<[string, AssistantEvent]>([
    ['folder', { type: 'AssistantMovedToFolder', data: { folder_id: null } }],
    ['label', { type: 'AssistantLabelled', data: { label_ids: [] } }],
    ['knowledgebase', { type: 'AssistantKnowledgebaseChanged', data: { knowledgebase_id: null } }],
  ])('by which a %s goes leaves what else the assistant points at', (deleted, event) => {
    const placed = given(assistant, created({ folder_id: 7, label_ids: [7], knowledgebase_id: 7 }));
    expect(dropReferences(placed, { isOwn: (kind) => kind !== deleted })).toEqual([event]);
  });

  test('is not found before creation and after deletion', () => {
    const deletion: AssistantEvent = {
      type: 'AssistantDeleted',
      data: { deleted_at: '2026-01-01T00:00:00Z' },
    };
    for (const gone of [null, state(deletion)]) {
      expect(update(gone, { name: 'Bo' })).toEqual({ code: 'not_found' });
      expect(deleteAssistant(gone, { accountId, now: new Date(0) })).toEqual({ code: 'not_found' });
      expect(dropReferences(gone, { isOwn: () => false })).toEqual([]);
    }
  });
});

test('what is switched off, or taken back, is told as such', () => {
  const on = [
    { type: 'WebhookEnabled', data: { webhook_url: 'https://a.example' } },
    { type: 'InboundWebhookEnabled', data: { inbound_webhook_url: 'https://b.example' } },
    { type: 'AssistantActivated', data: {} },
  ] satisfies AssistantEvent[];
  const off: AssistantChange = { is_webhook_active: false, inbound_webhook_url: null, status: 'inactive' };
  expect(update(state(...on), off)).toMatchObject({
    events: [
      { type: 'WebhookDisabled', data: { webhook_url: 'https://a.example', reason: 'request' } },
      { type: 'InboundWebhookDisabled', data: { reason: 'request' } },
      { type: 'AssistantDeactivated' },
    ],
  });
});

test('a webhook that is on is told of again where it goes elsewhere, and not where something else changes', () => {
  const on = { type: 'WebhookEnabled', data: { webhook_url: 'https://a.example' } } as const;
  const moved = { ...on, data: { webhook_url: 'https://b.example' } };
  expect(update(state(on), { webhook_url: 'https://b.example' })).toMatchObject({ events: [moved] });
  expect(update(state(on), { record: true })).toMatchObject({
    events: [{ type: 'AssistantSettingsChanged' }],
  });
  const off = { type: 'WebhookDisabled', data: { ...on.data, reason: 'request' } } as const;
  expect(update(state(on, off), { is_webhook_active: true })).toMatchObject({ events: [on] });
});

test('null restores the default of a setting, whole or in parts', () => {
  const changed = (change: AssistantChange, ...before: AssistantEvent[]) => {
    const decision = update(state(...before), change);
    return 'events' in decision ? decision.events[0]?.data : decision;
  };
  const slow: AssistantEvent = {
    type: 'AssistantSettingsChanged',
    data: { changed: { speech_speed: '0.80' } },
  };
  expect(changed({ speech_speed: null }, slow)).toEqual({
    changed: { speech_speed: settingsOf(leastInput).speech_speed },
  });
  expect(changed({ label_ids: null }, { type: 'AssistantLabelled', data: { label_ids: [1] } })).toEqual({
    label_ids: [],
  });
  const dark: AssistantChange = { widget_settings: { theme: 'dark' } };
  expect(changed(dark)).toEqual({
    changed: { widget_settings: { ...settingsOf(leastInput).widget_settings, theme: 'dark' } },
  });
  expect(update(state(), { widget_settings: null })).toMatchObject({ events: [] });
});

test('a mode needs a model of its own', () => {
  expect(update(state(), { mode: 'multimodal', multimodal_model_id: null })).toMatchObject({
    fields: { multimodal_model_id: [expect.stringContaining('required')] },
  });
});

test('a label is added beside those that are still there, and none is told of an assistant that is gone', () => {
  const facts: Facts = { ...allIsWell, isOwn: (_, id) => id !== 5 };
  const labelled = given(assistant, created({ label_ids: [4, 5] }));
  expect(labelAssistant(labelled, { accountId, labelId: 6 }, facts)).toMatchObject({
    events: [{ type: 'AssistantLabelled', data: { label_ids: [4, 6] } }],
  });
  expect(labelAssistant(labelled, { accountId, labelId: 5 }, facts)).toMatchObject({
    fields: { 'label_ids.1': ['The selected label ids.1 is invalid.'] },
  });
  expect(labelAssistant(null, { accountId, labelId: 6 }, facts)).toEqual({ code: 'not_found' });
});
