import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { runOnce } from '../support/automations.ts';
import { type Call, callIn, callingAssistant, endCall, fund } from '../support/calls.ts';
import { type Campaign, dataOf, type Lead, listOf, makeCampaign, phoneNumber } from '../support/campaigns.ts';
import { startWebhookReceiver } from '../support/webhooks.ts';

const remove = async (api: Api, id: number) => {
  const answer = await api.delete(`/api/user/campaign/${id}`);
  expect([answer.status, answer.body]).toEqual([200, { message: 'Campaign deleted successfully' }]);
};
const addLead = (api: Api, campaign_id: number, n: number) =>
  api.post('/api/user/lead', { campaign_id, phone_number: phoneNumber(n) });
const importInto = (api: Api, id: number) =>
  api.call('POST', `/api/user/leads/import?campaign_id=${id}`, {
    raw: `phone_number\n${phoneNumber(7)}`,
    headers: { 'content-type': 'text/csv' },
  });
const setStatus = (api: Api, campaign_id: number, action: string) =>
  api.post('/api/user/campaigns/update-status', { campaign_id, action });

test('a deleted campaign and its leads are in no list, and nothing can be done with them', async () => {
  const [api, other] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const [kept, { id, name }] = [await makeCampaign(api), await makeCampaign(api)];
  await addLead(api, kept.id, 1);
  const lead = dataOf<Lead>(await addLead(api, id, 1));
  const foreign = await stranger.delete(`/api/user/campaign/${id}`);
  expect([foreign.status, foreign.body]).toEqual([404, { message: 'Campaign not found' }]);
  const before = new Date().toISOString();
  await remove(api, id);
  expect((await listOf<Campaign>(other, '/api/user/campaigns')).data.map((each) => each.id)).toEqual([
    kept.id,
  ]);
  expect(await listOf(other, '/api/user/leads')).toMatchObject({
    total: 1,
    data: [{ campaign_id: kept.id }],
  });
  expect(await listOf(other, `/api/user/leads?campaign_id=${id}`)).toMatchObject({ total: 0, data: [] });
  for (const gone of [
    await addLead(other, id, 2),
    await importInto(other, id),
    await setStatus(other, id, 'start'),
    await other.put(`/api/user/campaign/${id}`, { name: 'Summer' }),
    await other.delete(`/api/user/campaign/${id}`),
  ])
    expect([gone.status, gone.body]).toEqual([404, { message: 'Campaign not found' }]);
  for (const gone of [
    await other.put(`/api/user/leads/${lead.id}`, { variables: {} }),
    await other.post(`/api/user/leads/${lead.id}/reopen`),
    await other.delete(`/api/user/leads/${lead.id}`),
  ])
    expect([gone.status, gone.body]).toEqual([404, { message: 'Lead not found' }]);

  const { data: changes } = await listOf<{ event: string }>(api, `/api/user/history?resource=campaign/${id}`);
  expect(changes.map(({ event }) => event)).toEqual(['CampaignDeleted', 'CampaignCreated']);
  const past = await api.get(`/api/user/history/state?resource=campaign/${id}&as_of=${before}`);
  expect(past.body).toMatchObject({ data: { state: { id, name } } });
  expect((await listOf(api, `/api/user/history?resource=lead/${lead.id}`)).data).toHaveLength(1);
  const leadState = `/api/user/history/state?resource=lead/${lead.id}`;
  expect((await api.get(leadState)).status).toBe(404);
  expect((await api.get(`${leadState}&as_of=${before}`)).body).toMatchObject({
    data: { state: { id: lead.id } },
  });
});

test('a step that adds a lead to a deleted campaign fails as with one that never was', async () => {
  const [api] = accountApis(await freshAccount());
  const { id: campaign } = await makeCampaign(api);
  await remove(api, campaign);
  const input = { campaign_id: '{{trigger.campaign}}', phone_number: '+14155552671' };
  const run = await runOnce(api, [{ id: 'add', type: 'lead.add', input }], { campaign }, 'FAILED');
  expect(run.steps[0]).toMatchObject({
    classification: 'missing_record',
    error: expect.stringContaining('[CAMPAIGN_NOT_FOUND]'),
  });
});

test('a call that goes on when its campaign is deleted ends, is paid and is told with its lead and campaign', async () => {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const assistant = await callingAssistant(api);
  const webhook = { assistant_id: assistant.id, webhook_url: receiver.url };
  expect((await api.post('/api/user/assistants/enable-webhook', webhook)).status).toBe(200);
  const { id, name } = await makeCampaign(api, { channel: 'call', assistant_id: assistant.id });
  const lead = dataOf<Lead>(await addLead(api, id, 3));
  await setStatus(api, id, 'start');
  const [call] = await eventually(async () => {
    const { data } = await listOf<Call>(api, '/api/user/calls');
    expect(data).toMatchObject([{ campaign_id: id, status: 'ringing' }]);
    return data;
  });
  await remove(api, id);
  expect((await addLead(api, id, 4)).status).toBe(404);
  if (!call) throw new Error('It rings.');
  await endCall(call, { outcome: 'completed', duration_s: 61 });
  expect(await callIn(api, call.id, 'completed')).toMatchObject({ campaign_id: id, lead_id: lead.id });
  await eventually(async () => {
    const { data } = await listOf<{ description: string }>(api, '/api/user/balance/transactions');
    expect(data.filter(({ description }) => /call/i.test(description))).toHaveLength(1);
    const told = receiver.requests.map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject([{ lead: { id: lead.id }, campaign: { id, name } }]);
  });
  expect((await listOf(api, '/api/user/calls')).total).toBe(1);
});
