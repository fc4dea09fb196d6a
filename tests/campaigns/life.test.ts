import { createCampaign, listCampaigns } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { type Call, callIn, callingAssistant, endCall, fund, makeCall } from '../support/calls.ts';
import {
  type Campaign,
  dataOf,
  type Lead,
  listOf,
  makeCampaign,
  phoneNumber,
  settingsOf,
} from '../support/campaigns.ts';
import { connectedSender } from '../support/chat-platform.ts';
import { dataOfEvents } from '../support/sms.ts';

const path = '/api/user/campaign';
const setStatus = (api: Api, campaign_id: unknown, action: unknown) =>
  api.post('/api/user/campaigns/update-status', { campaign_id, action });
const errorsOf = ({ body }: { body: unknown }) => Object.keys((body as { errors: object }).errors);

describe.each(['call', 'chatapp', 'sms'] as const)('a %s campaign', (channel) => {
  test('is created stopped with its defaults, listed, started and stopped', async () => {
    const [api, other] = accountApis(await freshAccount());
    const settings = await settingsOf[channel](api);
    const created = await api.post(path, { name: 'Spring "27" 🌱', ...settings });
    expect(created.status).toBe(201);
    const { data, message } = createCampaign.success.schema.parse(created.body);
    expect(message).toBe('Campaign created successfully');
    expect(data).toMatchObject({
      name: 'Spring "27" 🌱',
      status: 'stopped',
      ...settings,
      variable_mapping: {},
      windows: [],
      retries: { max_attempts: 3, delay_minutes: 60 },
      timezone: channel === 'call' ? 'Europe/Berlin' : 'UTC',
      leads_count: 0,
    });
    const shown = async () =>
      listCampaigns.success.schema.parse((await other.get('/api/user/campaigns')).body);
    expect(await shown()).toEqual({ data: [data], current_page: 1, per_page: 15, total: 1 });
    for (const [action, status] of [
      ['start', 'running'],
      ['start', 'running'],
      ['stop', 'stopped'],
    ] as const) {
      const answer = await setStatus(api, data.id, action);
      expect([answer.status, dataOf<Campaign>(answer)]).toMatchObject([200, { id: data.id, status }]);
      expect((await shown()).data).toEqual([dataOf(answer)]);
    }
  });

  test('is not created without what its channel needs', async () => {
    const [api] = accountApis(await freshAccount());
    const needed = { call: ['assistant_id'], chatapp: ['sender_id', 'template_id'], sms: ['body'] }[channel];
    const answer = await api.post(path, { name: 'Spring', channel });
    expect([answer.status, errorsOf(answer)]).toEqual([422, needed]);
    const settings: Record<string, unknown> = { ...(await settingsOf[channel](api)) };
    for (const field of needed)
      expect(errorsOf(await api.post(path, { name: 'Spring', ...settings, [field]: null }))).toEqual([field]);
  });
});

test('every setting of a campaign comes back as it was, and those of other channels do not count', async () => {
  const [api] = accountApis(await freshAccount());
  const settings = {
    timezone: 'America/New_York',
    windows: [
      { days: [1, 2, 3, 4, 5], from: '09:00', to: '17:30' },
      { days: [6], from: '22:00', to: '02:00' },
    ],
    retries: { max_attempts: 10, delay_minutes: 10_080 },
    variable_mapping: { '1': 'first_name', ünï: 'phone_number', constructor: 'toString' },
  };
  const extra = { id: 9999, user_id: 1, account_id: 1, status: 'running', leads_count: 99, created_at: 'x' };
  const campaign = await makeCampaign(api, {
    channel: 'sms',
    body: 'Hello {{ünï}}',
    assistant_id: 999_999,
    ...settings,
    ...extra,
  });
  expect(campaign).toMatchObject({ ...settings, assistant_id: null, status: 'stopped', leads_count: 0 });
  expect(campaign.id).not.toBe(extra.id);
});

describe('the assistant of a call campaign', () => {
  test('is an own outbound one that was not deleted', async () => {
    const [api] = accountApis(await freshAccount());
    const [stranger] = accountApis(await freshAccount());
    const deleted = await createAssistant(api, { type: 'outbound' });
    await api.delete(`/api/user/assistant/${deleted}`);
    const texts = [];
    for (const assistant_id of [
      await createAssistant(stranger, { type: 'outbound' }),
      999_999_999,
      deleted,
      await createAssistant(api, { type: 'inbound' }),
    ]) {
      const answer = await api.post(path, { name: 'Spring', channel: 'call', assistant_id });
      expect([answer.status, errorsOf(answer)]).toEqual([422, ['assistant_id']]);
      texts.push(answer.text);
    }
    expect(new Set(texts).size).toBe(1);
  });
});

describe('the template of a chat-app campaign', () => {
  test('is an approved message of an own sender', async () => {
    const [api] = accountApis(await freshAccount());
    const [stranger] = accountApis(await freshAccount());
    const templates = [
      { name: 'good' },
      { name: 'waiting', status: 'pending' as const },
      { name: 'may_we_call', kind: 'voice_call_request' as const },
    ];
    const own = await connectedSender(api, {}, templates);
    const foreign = await connectedSender(stranger, {}, templates);
    for (const [sender, template, field] of [
      [foreign.id, foreign.templates.good?.id, 'sender_id'],
      [999_999_999, own.templates.good?.id, 'sender_id'],
      [own.id, foreign.templates.good?.id, 'template_id'],
      [own.id, own.templates.waiting?.id, 'template_id'],
      [own.id, own.templates.may_we_call?.id, 'template_id'],
    ]) {
      const body = { name: 'Spring', channel: 'chatapp', sender_id: sender, template_id: template };
      const answer = await api.post(path, body);
      expect([answer.status, errorsOf(answer)]).toEqual([422, [field]]);
    }
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no name', { name: undefined }, 'name'],
  ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name'],
  ['an unknown channel', { channel: 'mail' }, 'channel'],
  ['no channel', { channel: undefined }, 'channel'],
  ['a body of 1,601 characters', { body: 'x'.repeat(1601) }, 'body'],
  ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
  ['a window on no day', { windows: [{ days: [], from: '09:00', to: '10:00' }] }, 'windows.0.days'],
  ['a window on an eighth day', { windows: [{ days: [8], from: '09:00', to: '10:00' }] }, 'windows.0.days.0'],
  ['a window from 24:00', { windows: [{ days: [1], from: '24:00', to: '10:00' }] }, 'windows.0.from'],
  ['a window without an end', { windows: [{ days: [1], from: '09:00' }] }, 'windows.0.to'],
  ['windows that are no list', { windows: {} }, 'windows'],
  ['no attempt', { retries: { max_attempts: 0, delay_minutes: 1 } }, 'retries.max_attempts'],
  ['eleven attempts', { retries: { max_attempts: 11, delay_minutes: 1 } }, 'retries.max_attempts'],
  ['a delay of nothing', { retries: { max_attempts: 1, delay_minutes: 0 } }, 'retries.delay_minutes'],
  ['a mapping of numbers', { variable_mapping: { a: 1 } }, 'variable_mapping.a'],
  ['a mapping to nothing', { variable_mapping: { a: '' } }, 'variable_mapping.a'],
])('a campaign with %s is refused by field', async (_, change, field) => {
  const [api] = accountApis(await freshAccount());
  const answer = await api.post(path, { name: 'Spring', channel: 'sms', body: 'Hello', ...change });
  expect([answer.status, errorsOf(answer)]).toEqual([422, [field]]);
  expect((await listOf(api, '/api/user/campaigns')).total).toBe(0);
});

test('a status is changed by name, of an own campaign only', async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const { id } = await makeCampaign(api);
  for (const [campaign, action, field] of [
    [id, 'pause', 'action'],
    [id, undefined, 'action'],
    ['x', 'start', 'campaign_id'],
    [undefined, 'start', 'campaign_id'],
  ])
    expect(errorsOf(await setStatus(api, campaign, action))).toEqual([field]);
  const foreign = await setStatus(stranger, id, 'start');
  expect([foreign.status, foreign.body]).toEqual([404, { message: 'Campaign not found' }]);
  expect((await setStatus(stranger, 999_999_999, 'start')).text).toBe(foreign.text);
  expect((await listOf<Campaign>(api, '/api/user/campaigns')).data[0]?.status).toBe('stopped');
});

test('campaigns are listed newest first, in pages', async () => {
  const [api] = accountApis(await freshAccount());
  for (const name of ['a', 'b', 'c']) await makeCampaign(api, { channel: 'sms', body: 'Hello', name });
  const page = (await api.get('/api/user/campaigns?per_page=2&page=2')).body;
  expect(page).toMatchObject({ data: [{ name: 'a' }], current_page: 2, per_page: 2, total: 3 });
  for (const query of ['page=0', 'per_page=101', 'per_page=x'])
    expect((await api.get(`/api/user/campaigns?${query}`)).status).toBe(422);
});

test('a running campaign takes up its leads, one that is stopped does not', async () => {
  const [api] = accountApis(await freshAccount());
  const [running, stopped] = [await makeCampaign(api), await makeCampaign(api)];
  for (const [n, { id }] of [running, stopped].entries())
    await api.post('/api/user/lead', { campaign_id: id, phone_number: phoneNumber(n) });
  await setStatus(api, running.id, 'start');
  const statusOf = async ({ id }: Campaign) =>
    (await listOf<Lead>(api, `/api/user/leads?campaign_id=${id}`)).data[0]?.status;
  await eventually(async () => expect(await statusOf(running)).not.toBe('created'));
  expect(await statusOf(stopped)).toBe('created');
  await setStatus(api, running.id, 'stop');
});

test.each([
  ['has no number to call from', 'no phone number to call from', async () => undefined],
  ['was deleted', 'Assistant not found', (api: Api, path: string) => api.delete(path)],
  [
    'is no outbound one any more',
    'must be an outbound one',
    (api: Api, path: string) => api.put(path, { type: 'inbound' }),
  ],
])('a campaign whose assistant %s is held up, and fails no lead', async (_, reason, change) => {
  const [api] = accountApis(await freshAccount());
  const assistant_id = await createAssistant(api, { type: 'outbound' });
  const campaign = await makeCampaign(api, { channel: 'call', assistant_id });
  const changed = await change(api, `/api/user/assistant/${assistant_id}`);
  expect(changed?.status ?? 200).toBe(200);
  for (const n of [1, 2])
    await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: phoneNumber(n) });
  await setStatus(api, campaign.id, 'start');
  const given = await eventually(async () => {
    const events = await dataOfEvents(api, 'LeadAttemptWithdrawn');
    // The second lead may have been taken up before the first was refused.
    expect(events.length).toBeGreaterThan(0);
    return events[0];
  });
  expect(given).toMatchObject({ reason: expect.stringContaining(reason) });
  expect(Date.parse(String(given?.due_at)) - Date.parse(String(given?.at))).toBe(15 * 60_000);
  expect(await dataOfEvents(api, 'LeadAttemptEnded')).toEqual([]);
  const [shown] = (await listOf<Campaign>(api, '/api/user/campaigns')).data;
  expect(shown).toMatchObject({ held_up: { reason: expect.stringContaining(reason) } });
  await setStatus(api, campaign.id, 'stop');
});

test('whoever is on a call of the account is not called by a campaign meanwhile, and is afterwards', async () => {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const assistant = await callingAssistant(api);
  const made = await makeCall(api, assistant.id);
  await callIn(api, made.id, 'ringing');
  const campaign = await makeCampaign(api, { channel: 'call', assistant_id: assistant.id });
  await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: made.customer_phone });
  await setStatus(api, campaign.id, 'start');
  const called = async () => (await listOf<Call>(api, '/api/user/calls')).data;
  const [given] = await eventually(async () => {
    const events = await dataOfEvents(api, 'LeadAttemptWithdrawn');
    expect(events.length).toBeGreaterThan(0);
    return events;
  });
  expect(given).toMatchObject({ reason: 'This person is on a call of the account already.' });
  // The others wait no longer than after any lead that could not be reached.
  expect(Date.parse(String(given?.due_at)) - Date.parse(String(given?.at))).toBe(5_000);
  expect(await called()).toHaveLength(1);
  await endCall(made, { outcome: 'completed', duration_s: 5 });
  await callIn(api, made.id, 'completed');
  await setStatus(api, campaign.id, 'start');
  await eventually(async () =>
    expect(await called()).toMatchObject([{ campaign_id: campaign.id, status: 'ringing' }, { id: made.id }]),
  );
  await endCall(made, { outcome: 'completed', duration_s: 5 });
  await setStatus(api, campaign.id, 'stop');
});
