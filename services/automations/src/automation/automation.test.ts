import type { AutomationDefinition, AutomationEvent, ConnectionEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { deleteConnection, updateConnection } from '../connections/change-connection.ts';
import { keptConnection, showConnection } from '../connections/connection.ts';
import { automation } from './automation.ts';
import { createAutomation, deleteAutomation, updateAutomation } from './change-automation.ts';

const now = new Date('2026-11-21T09:30:00.000Z');
const steps: AutomationDefinition['steps'] = [{ id: 'a', type: 'stop' }];
const onLead: AutomationDefinition = { trigger: { type: 'lead.created' }, steps };
const hourly: AutomationDefinition = {
  trigger: { type: 'schedule', cron: '0 * * * *' },
  timezone: 'Asia/Kolkata',
  steps,
};
const create = (definition: AutomationDefinition, isEnabled = true, tokenHash: string | null = null) =>
  createAutomation(null, { id: 4, name: 'A', definition, isEnabled, tokenHash, now });
const types = (decision: object) =>
  'events' in decision ? (decision.events as { type: string }[]).map(({ type }) => type) : decision;
const change = { tokenHash: null, now };

test('an automation is created with its first version, on or off', () => {
  expect(types(create(onLead))).toEqual([
    'AutomationCreated',
    'AutomationDefinitionSaved',
    'AutomationActivated',
  ]);
  expect(create(onLead, false)).toMatchObject({
    reply: { automation_id: '4', status: 'disabled' },
    timers: [],
  });
  expect(types(create(onLead, true, 'ab'))).toContain('AutomationWebhookIssued');
});

test('a new definition is a new version; the same one is no event', () => {
  const state = given(automation, ...create(onLead).events);
  expect(updateAutomation(state, { ...change, definition: onLead })).toMatchObject({
    events: [],
    reply: { data: { version: 1 } },
  });
  expect(
    updateAutomation(state, { ...change, definition: hourly, name: 'B', isEnabled: false }),
  ).toMatchObject({
    events: [
      { type: 'AutomationRenamed' },
      { type: 'AutomationDefinitionSaved', data: { version: 2 } },
      { type: 'AutomationDeactivated' },
    ],
    reply: { data: { name: 'B', status: 'disabled', version: 2 } },
  });
});

test('an assistant without a definition is that of the calls that the kept one listens to, as a new version', () => {
  const onCall = (assistantId?: number): AutomationDefinition => ({
    trigger: { type: 'call.completed', ...(assistantId !== undefined && { assistant_id: assistantId }) },
    steps,
  });
  for (const before of [onCall(), onCall(11)]) {
    const state = given(automation, ...create(before).events);
    expect(updateAutomation(state, { ...change, assistantId: 12 })).toMatchObject({
      events: [{ type: 'AutomationDefinitionSaved', data: { version: 2, definition: onCall(12) } }],
    });
  }
  const state = given(automation, ...create(onCall(12)).events);
  expect(updateAutomation(state, { ...change, assistantId: 12 })).toMatchObject({ events: [] });
  expect(
    updateAutomation(given(automation, ...create(onLead).events), { ...change, assistantId: 12 }),
  ).toMatchObject({ events: [] });
});

test('a schedule has one timer while it is on, for the next moment of its time zone', () => {
  const id = 'automation-schedule:4';
  const created = create(hourly);
  expect(created.timers).toMatchObject([{ id, due: { at: '2026-11-21T10:30:00.000Z' } }]);
  const state = given(automation, ...created.events);
  expect(updateAutomation(state, { ...change, name: 'B' })).toMatchObject({ timers: [], cancelTimers: [] });
  expect(updateAutomation(state, { ...change, isEnabled: false })).toMatchObject({
    timers: [],
    cancelTimers: [id],
  });
  expect(updateAutomation(state, { ...change, definition: onLead })).toMatchObject({
    timers: [],
    cancelTimers: [id],
  });
  expect(deleteAutomation(state, now)).toMatchObject({ cancelTimers: [id] });
});

test('what was deleted is not found', () => {
  const gone = given(automation, ...create(onLead).events, { type: 'AutomationDeleted', data: { at: '' } });
  expect(updateAutomation(gone, { ...change, name: 'B' })).toEqual({ code: 'not_found' });
  expect(deleteAutomation(gone, now)).toEqual({ code: 'not_found' });
  expect(updateConnection(null, { name: 'B', secretId: undefined, now })).toEqual({ code: 'not_found' });
  expect(deleteConnection(null, now)).toEqual({ code: 'not_found' });
});

test('histories written by every earlier version still fold to what they meant', () => {
  const history = golden<AutomationEvent>(
    'AutomationCreated.v1',
    'AutomationRenamed.v1',
    'AutomationDefinitionSaved.v1',
    'AutomationWebhookIssued.v1',
    'AutomationActivated.v1',
  );
  expect(given(automation, ...history)).toMatchObject({
    id: 4,
    name: 'Follow up',
    isEnabled: true,
    version: 1,
    tokenHash: 'ab'.repeat(32),
    definition: { trigger: { type: 'call.completed' } },
  });
  expect(given(automation, ...history, ...golden<AutomationEvent>('AutomationDeactivated.v1'))).toMatchObject(
    { isEnabled: false },
  );
  expect(given(automation, ...history, ...golden<AutomationEvent>('AutomationDeleted.v1'))).toBeNull();
  for (const created of ['ConnectionCreated.v1', 'ConnectionCreated.v2']) {
    const kept = given(
      keptConnection,
      ...golden<ConnectionEvent>(created, 'ConnectionRenamed.v1', 'ConnectionSecretReplaced.v1'),
    );
    expect(kept && showConnection(kept)).toMatchObject({
      id: 7,
      reference: 'con_7',
      name: 'CRM of Sales',
      kind: 'http_header',
      header: 'X-Api-Key',
      username: null,
    });
    expect(kept?.secretId).toMatch(/b$/);
  }
});

test('an id is given out once', () => {
  const state = given(automation, ...create(onLead).events);
  const again = () =>
    createAutomation(state, { id: 4, name: 'A', definition: onLead, isEnabled: true, tokenHash: null, now });
  expect(again).toThrow('twice');
});
