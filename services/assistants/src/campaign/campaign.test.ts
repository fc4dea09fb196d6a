import type { CampaignEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { type CreateCampaign, createCampaign } from './create-campaign.ts';
import { showCampaign } from './item.ts';
import { revertCampaign } from './revert-campaign.ts';
import { updateCampaignStatus } from './update-campaign-status.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const command: CreateCampaign = {
  id: 5,
  name: 'Spring',
  channel: 'call',
  assistant_id: 8,
  now,
  assistant: { type: 'outbound', timezone: 'Europe/Berlin' },
  template: 'ok',
};
const chat: CreateCampaign = {
  ...command,
  channel: 'chatapp',
  assistant: undefined,
  sender_id: 2,
  template_id: 3,
};
const settingsOf = (made: CreateCampaign) => {
  const decision = createCampaign(null, made);
  return 'events' in decision ? decision.events[0]?.data : decision;
};
const faultsOf = (made: CreateCampaign) => {
  const decision = createCampaign(null, made);
  return 'code' in decision ? decision.fields : decision;
};

describe('a campaign', () => {
  test('is created stopped, without leads, in the time zone of its assistant', () => {
    const settings = {
      id: 5,
      name: 'Spring',
      channel: 'call',
      assistant_id: 8,
      sender_id: null,
      template_id: null,
      body: null,
      variable_mapping: {},
      timezone: 'Europe/Berlin',
      windows: [],
      retries: { max_attempts: 3, delay_minutes: 60 },
    };
    expect(createCampaign(null, command)).toEqual({
      events: [{ type: 'CampaignCreated', data: { ...settings, created_at: now.toISOString() } }],
      reply: {
        message: 'Campaign created successfully',
        data: {
          ...settings,
          status: 'stopped',
          held_up: null,
          leads_count: 0,
          created_at: now.toISOString(),
          updated_at: now.toISOString(),
        },
      },
    });
  });

  test('keeps what was sent, and of the fields of channels only its own', () => {
    const sent = {
      variable_mapping: { vorname: 'first_name' },
      timezone: 'America/New_York',
      windows: [{ days: [1], from: '09:00', to: '17:30' }],
      retries: { max_attempts: 1, delay_minutes: 5 },
    };
    const all = { ...command, ...sent, assistant_id: 8, sender_id: 2, template_id: 3, body: 'Hello' };
    expect(settingsOf(all)).toMatchObject({
      ...sent,
      assistant_id: 8,
      sender_id: null,
      template_id: null,
      body: null,
    });
    expect(settingsOf({ ...all, channel: 'chatapp' })).toMatchObject({
      assistant_id: null,
      sender_id: 2,
      template_id: 3,
      body: null,
    });
    expect(settingsOf({ ...all, channel: 'sms' })).toMatchObject({
      assistant_id: null,
      sender_id: null,
      template_id: null,
      body: 'Hello',
    });
  });

  test('that makes no calls is in UTC unless told otherwise', () => {
    expect(settingsOf({ ...chat, assistant: command.assistant })).toMatchObject({ timezone: 'UTC' });
  });

  test('for calls needs an outbound assistant', () => {
    expect(faultsOf({ ...command, assistant_id: null })).toEqual({
      assistant_id: ['The assistant id field is required.'],
    });
    for (const assistant of [undefined, { type: 'inbound', timezone: 'UTC' }])
      expect(faultsOf({ ...command, assistant })).toEqual({
        assistant_id: ['The selected assistant id is invalid; it must be an outbound assistant.'],
      });
  });

  test('for chat apps needs a sender and a template of it that is approved', () => {
    expect(faultsOf({ ...chat, sender_id: null, template_id: null })).toEqual({
      sender_id: ['The sender id field is required.'],
      template_id: ['The template id field is required.'],
    });
    expect(faultsOf({ ...chat, template: 'sender_not_found' })).toEqual({
      sender_id: ['The selected sender id is invalid.'],
    });
    expect(faultsOf({ ...chat, template: 'template_not_found' })).toEqual({
      template_id: ['The selected template id is invalid.'],
    });
    expect(faultsOf({ ...chat, template: 'template_not_approved' })).toEqual({
      template_id: ['The selected template is not approved.'],
    });
    expect(settingsOf(chat)).toMatchObject({ channel: 'chatapp' });
  });

  test('for SMS needs a text', () => {
    expect(faultsOf({ ...command, channel: 'sms', body: ' \n' })).toHaveProperty('body');
    expect(faultsOf({ ...command, channel: 'sms', body: null })).toEqual({
      body: ['The body field is required.'],
    });
  });

  test('is never created twice under one id', () => {
    const state = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'));
    expect(() => createCampaign(state, command)).toThrow('Campaign 5 was given out twice.');
  });
});

describe('the status of a campaign', () => {
  const created = golden<CampaignEvent>('CampaignCreated.v1');
  const stopped = given(campaign, ...created);
  const running = given(campaign, ...created, ...golden<CampaignEvent>('CampaignStarted.v1'));
  const update = { now, leadsCount: 7, isHeldUp: false, correlationId: 'request-1' };
  const at = now.toISOString();

  test('becomes running together with the timer that paces it', () => {
    expect(updateCampaignStatus(stopped, { ...update, action: 'start' })).toMatchObject({
      events: [{ type: 'CampaignStarted', data: { at } }],
      timers: [
        {
          id: 'pace-campaign:5',
          kind: 'pace-campaign',
          due: { afterMs: 0 },
          payload: { campaign_id: 5, correlation_id: 'request-1' },
        },
      ],
      reply: {
        message: 'Campaign started successfully',
        data: { id: 5, status: 'running', leads_count: 7, updated_at: at },
      },
    });
  });

  test('becomes stopped, and the timer goes', () => {
    const decision = updateCampaignStatus(running, { ...update, action: 'stop' });
    expect(decision).toMatchObject({
      events: [{ type: 'CampaignStopped', data: { at } }],
      cancelTimers: ['pace-campaign:5'],
      reply: { message: 'Campaign stopped successfully', data: { status: 'stopped', updated_at: at } },
    });
    expect(decision).not.toHaveProperty('timers');
  });

  test.each([
    ['start', running, 'Campaign started successfully'],
    ['stop', stopped, 'Campaign stopped successfully'],
  ] as const)('stays what it is on a second %s, without an event or a timer', (action, state, message) => {
    const decision = updateCampaignStatus(state, { ...update, action });
    expect(decision).toMatchObject({ events: [], reply: { message } });
    expect(decision).not.toHaveProperty('timers');
    expect(decision).not.toHaveProperty('cancelTimers');
  });

  test('is recorded again by a start of one that is held up, which looks at once', () => {
    const heldUp = { ...update, isHeldUp: true };
    expect(updateCampaignStatus(running, { ...heldUp, action: 'start' })).toMatchObject({
      events: [{ type: 'CampaignStarted', data: { at } }],
      timers: [{ id: 'pace-campaign:5', due: { afterMs: 0 } }],
      reply: { data: { status: 'running', held_up: null, updated_at: at } },
    });
    expect(updateCampaignStatus(stopped, { ...heldUp, action: 'stop' })).toMatchObject({ events: [] });
  });

  test('is that of no campaign before it is created', () => {
    expect(updateCampaignStatus(null, { ...update, action: 'start' })).toEqual({ code: 'not_found' });
    expect(given(campaign, ...golden<CampaignEvent>('CampaignStarted.v1'))).toBeNull();
  });

  test.each([
    ['running', 'start'],
    ['stopped', 'stop'],
  ])('goes back to %s by a %s', (status, action) => {
    expect(revertCampaign({ id: '5', before: { status }, after: {}, now: {} })).toMatchObject({
      operation: { name: 'update-campaign-status' },
      input: { campaign_id: 5, action },
    });
  });
});

test('an id is given out once', () => {
  const state = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'));
  expect(() => createCampaign(state, command)).toThrow('twice');
});

test('operators see a campaign without the number of its leads, and nothing of one that is not there', () => {
  expect(showCampaign(null)).toBeNull();
  const shown = showCampaign(given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1')));
  expect(shown).toMatchObject({ id: 5, status: 'stopped' });
  expect(shown).not.toHaveProperty('leads_count');
});
