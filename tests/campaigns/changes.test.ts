import { updateCampaign } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { dataOf, makeCampaign, settingsOf } from '../support/campaigns.ts';
import { connectedSender } from '../support/chat-platform.ts';

const pathOf = (id: number) => `/api/user/campaign/${id}`;
const errorsOf = ({ body }: { body: unknown }) => (body as { errors: object }).errors;
const shown = async (api: Api) => (await api.get('/api/user/campaigns')).body;
const windows = [{ days: [6], from: '22:00', to: '02:00' }];

/** What a campaign of each channel reaches out with, beside what `settingsOf` makes. */
const others: Readonly<Record<'call' | 'chatapp' | 'sms', (api: Api) => Promise<object>>> = {
  call: async (api) => ({ assistant_id: await createAssistant(api, { type: 'outbound' }) }),
  async chatapp(api) {
    const { id, templates } = await connectedSender(api, {}, [{ name: 'other' }]);
    return { sender_id: id, template_id: templates.other?.id };
  },
  sms: async () => ({ body: 'Good day {{name}}' }),
};

describe.each(['call', 'chatapp', 'sms'] as const)('a %s campaign', (channel) => {
  test('is changed in what is sent alone, and shown so', async () => {
    const [api] = accountApis(await freshAccount());
    const made = await makeCampaign(api, await settingsOf[channel](api));
    const { updated_at: _, ...before } = made as unknown as Record<string, unknown>;
    for (const change of [
      { name: 'Summer' },
      await others[channel](api),
      { timezone: 'America/New_York', windows },
      { retries: { max_attempts: 1, delay_minutes: 5 }, variable_mapping: { name: 'first_name' } },
      { windows: null, retries: null, variable_mapping: null },
    ]) {
      const answer = await api.put(pathOf(made.id), change);
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
      const { message, data } = updateCampaign.success.schema.parse(answer.body);
      expect(message).toBe('Campaign updated successfully');
      const defaults = { windows: [], retries: { max_attempts: 3, delay_minutes: 60 }, variable_mapping: {} };
      Object.assign(before, 'windows' in change && change.windows === null ? defaults : change);
      expect(data).toMatchObject(before);
      expect(await shown(api)).toMatchObject({ data: [data] });
    }
  });

  test('keeps its channel and what that needs', async () => {
    const [api] = accountApis(await freshAccount());
    const made = await makeCampaign(api, await settingsOf[channel](api));
    const needed = { call: ['assistant_id'], chatapp: ['sender_id', 'template_id'], sms: ['body'] }[channel];
    const before = await shown(api);
    for (const field of needed)
      expect(errorsOf(await api.put(pathOf(made.id), { name: 'Summer', [field]: null }))).toEqual({
        [field]: [`The ${field.replace('_', ' ')} field is required.`],
      });
    const other = channel === 'sms' ? 'call' : 'sms';
    const answer = await api.put(pathOf(made.id), { channel: other, ...(await settingsOf[other](api)) });
    expect([answer.status, answer.body]).toEqual([
      422,
      { message: expect.any(String), errors: { channel: ['The channel cannot be changed.'] } },
    ]);
    expect(await shown(api)).toEqual(before);
    expect((await api.put(pathOf(made.id), { channel })).status).toBe(200);
    expect(await shown(api)).toEqual(before);
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no name', { name: null }, 'name'],
  ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'timezone'],
  ['a window from 24:00', { windows: [{ days: [1], from: '24:00', to: '10:00' }] }, 'windows.0.from'],
  ['eleven attempts', { retries: { max_attempts: 11, delay_minutes: 1 } }, 'retries.max_attempts'],
  ['no delay', { retries: { max_attempts: 1 } }, 'retries.delay_minutes'],
  ['a body of 1,601 characters', { body: 'x'.repeat(1601) }, 'body'],
])('a change to %s is refused by field', async (_, change, field) => {
  const [api] = accountApis(await freshAccount());
  const { id } = await makeCampaign(api);
  const before = await shown(api);
  const answer = await api.put(pathOf(id), { name: 'Summer', ...change });
  expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([422, [field]]);
  expect(await shown(api)).toEqual(before);
});

test('a campaign is changed at the version that was seen, by its account alone', async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const { id } = await makeCampaign(api);
  const etag = String((await api.put(pathOf(id), { name: 'Summer' })).headers.etag);
  const at = (version: string, name: string) =>
    api.call('PUT', pathOf(id), { body: { name }, headers: { 'if-match': version } });
  const second = await at(etag, 'Autumn');
  expect([second.status, second.headers.etag === etag]).toEqual([200, false]);
  expect((await at(etag, 'Winter')).status).toBe(412);
  expect(dataOf(await at(String(second.headers.etag), 'Winter'))).toMatchObject({ name: 'Winter' });
  const foreign = await stranger.put(pathOf(id), { name: 'Mine' });
  expect([foreign.status, foreign.body]).toEqual([404, { message: 'Campaign not found' }]);
  expect((await stranger.put(pathOf(999_999_999), { name: 'Mine' })).text).toBe(foreign.text);
});

test('an assistant that was deleted stands against no other change of its campaign', async () => {
  const [api] = accountApis(await freshAccount());
  const assistant_id = await createAssistant(api, { type: 'outbound' });
  const { id } = await makeCampaign(api, { channel: 'call', assistant_id });
  await api.delete(`/api/user/assistant/${assistant_id}`);
  expect(dataOf(await api.put(pathOf(id), { name: 'Summer', windows }))).toMatchObject({
    assistant_id,
    windows,
  });
  for (const other of [999_999_999, await createAssistant(api, { type: 'inbound' })])
    expect(Object.keys(errorsOf(await api.put(pathOf(id), { assistant_id: other })))).toEqual([
      'assistant_id',
    ]);
});

test('a campaign whose sender was disconnected is given another one, and can be renamed before', async () => {
  const [api] = accountApis(await freshAccount());
  const settings = await settingsOf.chatapp(api);
  const { id, sender_id } = (await makeCampaign(api, settings)) as unknown as Record<string, number>;
  expect((await api.delete(`/api/user/chatapp/senders/${sender_id}`)).status).toBe(200);
  expect(dataOf(await api.put(pathOf(Number(id)), { name: 'Summer' }))).toMatchObject(settings);
  const other = await others.chatapp(api);
  const { template_id } = other as { template_id: number };
  const half = await api.put(pathOf(Number(id)), { template_id });
  expect([half.status, Object.keys(errorsOf(half))]).toEqual([422, ['sender_id']]);
  expect(dataOf(await api.put(pathOf(Number(id)), other))).toMatchObject(other);
});
