import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, freshApi, gatewayUrls } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow, onlyRun, runsOf } from '../support/automations.ts';
import { type Call, callingAssistant, endCall, fund } from '../support/calls.ts';
import { dataOf, makeCampaign } from '../support/campaigns.ts';
import { connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { makeOne } from '../support/resources.ts';
import { ownNumber } from '../support/telephony.ts';
import { tellMessage } from '../support/tell-message.ts';

/** A step that succeeds when the event looks as it should, and fails as a wiring error when it does not. */
const sees = (...paths: string[]) => ({
  id: 'sees',
  type: 'data.map',
  input: Object.fromEntries(paths.map((path, index) => [`p${index}`, `{{trigger.${path}}}`])),
});
const flow = (trigger: object, ...steps: object[]) => ({ trigger, steps });

describe('lead.created', () => {
  test('starts one run for each lead of its campaign that the filter lets through', async () => {
    const api = await freshApi();
    const [{ id: own }, { id: other }] = [await makeCampaign(api), await makeCampaign(api)];
    const lead = (campaign_id: number, phone_number: string) =>
      api.post('/api/user/lead', { campaign_id, phone_number, variables: { tier: 'gold' } });
    await lead(own, '+14155552670');
    const { automation_id: id } = await createAutomation(
      api,
      flow(
        {
          type: 'lead.created',
          campaign_id: own,
          filter: { op: 'ends_with', left: '{{trigger.customer_phone}}', right: '1' },
        },
        sees('lead.id', 'lead.variables.tier', 'campaign.name', 'customer_phone'),
      ),
    );
    await lead(other, '+14155552671');
    await lead(own, '+14155552672');
    await lead(own, '+14155552671');
    await onlyRun(api, id, 'SUCCEEDED');
  });

  test('that runs cause themselves come to an end', async () => {
    const api = await freshApi();
    const { id: campaign } = await makeCampaign(api);
    const { automation_id: id } = await createAutomation(
      api,
      flow(
        { type: 'lead.created', campaign_id: campaign },
        {
          id: 'add',
          type: 'lead.add',
          input: { campaign_id: campaign, phone_number: '+14155552671', allow_dupplicate: true },
        },
      ),
    );
    await api.post('/api/user/lead', { campaign_id: campaign, phone_number: '+14155552671' });
    // Depths 0 to 8: nine runs, ten leads with the first one.
    const total = async () =>
      ((await api.get(`/api/user/leads?campaign_id=${campaign}`)).body as { total: number }).total;
    await eventually(async () => expect(await total()).toBe(10));
    await eventually(async () =>
      expect((await runsOf(api, id)).map(({ status }) => status)).toEqual(
        Array.from({ length: 9 }, () => 'SUCCEEDED'),
      ),
    );
    const history = `/api/user/history?resource=automation/${id}&type=AutomationTriggerRefused`;
    await eventually(async () =>
      expect((await api.get(history)).body).toMatchObject({
        data: [{ before: {}, after: {}, summary: expect.stringContaining('more than eight runs') }],
      }),
    );
  });

  test('that runs cause themselves over the API comes to an end as well', async () => {
    const account = await freshAccount();
    const [api] = accountApis(account);
    const { id: campaign } = await makeCampaign(api);
    const key = { name: 'Own key', kind: 'http_bearer', secret: account.key };
    const { id: connection } = dataOf<{ id: number }>(await api.post('/api/user/automate/connections', key));
    const lead = { campaign_id: campaign, phone_number: '+14155552671', allow_dupplicate: true };
    const { automation_id: id } = await createAutomation(api, {
      connections: { own: { kind: 'http_bearer', id: connection } },
      trigger: { type: 'lead.created', campaign_id: campaign },
      steps: [
        {
          id: 'add',
          type: 'http.request',
          connection: 'own',
          input: { method: 'POST', url: `${gatewayUrls()[0]}/api/user/lead`, json: lead },
        },
      ],
    });
    await api.post('/api/user/lead', lead);
    const history = `/api/user/history?resource=automation/${id}&type=AutomationTriggerRefused`;
    try {
      await eventually(async () => expect((await api.get(history)).body).toMatchObject({ data: [{}] }));
      expect(await runsOf(api, id)).toHaveLength(9);
    } finally {
      await api.put(`/api/user/automate/flows/${id}`, { enabled: false });
    }
  });
});

describe('a chat app', () => {
  test('message and a granted permission start a run each', async () => {
    const api = await freshApi();
    const sender = await connectedSender(api, { calling_enabled: true }, [
      { name: 'may_we_call', kind: 'voice_call_request' },
    ]);
    const received = await createAutomation(
      api,
      flow(
        { type: 'conversation.message_received', sender_id: sender.id },
        sees('message.text', 'conversation_uuid', 'customer_phone'),
      ),
    );
    const granted = await createAutomation(
      api,
      flow(
        { type: 'call_permission_granted', sender_id: sender.id },
        sees('customer_phone', 'sender_id', 'granted_at'),
      ),
    );
    const elsewhere = await createAutomation(
      api,
      flow({ type: 'conversation.message_received', sender_id: sender.id + 1_000_000 }, sees('message.text')),
    );
    const parties = { to: sender.phone, from: freshCustomerNumber() };
    await control('chat/inbound', { ...parties, text: 'Hello' });
    await onlyRun(api, received.automation_id, 'SUCCEEDED');
    await control('chat/permission-reply', { ...parties, response: 'accept', permanent: true });
    await onlyRun(api, granted.automation_id, 'SUCCEEDED');
    expect(await runsOf(api, elsewhere.automation_id)).toEqual([]);
  });

  test('reaction starts no run, unless the filter asks for reactions', async () => {
    const api = await freshApi();
    const sender = await connectedSender(api);
    const trigger = { type: 'conversation.message_received', sender_id: sender.id };
    const of = (filter: object) => createAutomation(api, flow({ ...trigger, filter }, sees('message.text')));
    const hearts = await of({ op: 'eq', left: '{{trigger.message.text}}', right: '❤️' });
    const all = await of({ op: 'in', left: '{{trigger.message.type}}', right: ['reaction', 'text'] });
    const parties = { to: sender.phone, from: freshCustomerNumber() };
    const reaction = { message_id: 'wamid.0', emoji: '❤️' };
    expect((await tellMessage(parties, { type: 'reaction', reaction })).status).toBe(200);
    await control('chat/inbound', { ...parties, text: 'Hello' });
    await eventually(async () => expect(await runsOf(api, all.automation_id)).toHaveLength(2));
    expect(await runsOf(api, hearts.automation_id)).toEqual([]);
  });
});

test('a call that is over starts a run of its assistant’s automation', async () => {
  const api = await freshApi();
  await fund(api);
  const number = await ownNumber(api);
  const assistant = await createAssistant(api, { type: 'inbound', phone_number_id: number.id });
  await api.put(`/api/user/assistant/${assistant}`, { status: 'active' });
  const { automation_id: id } = await createAutomation(
    api,
    flow(
      { type: 'call.completed', filter: { op: 'eq', left: '{{trigger.status}}', right: 'completed' } },
      sees('call_id', 'customer_phone', 'duration', 'direction'),
    ),
    { assistant_id: assistant },
  );
  const call = { direction: 'inbound', to: number.phone_number, from: freshCustomerNumber(), duration_s: 5 };
  await control('calls', { ...call, outcome: 'completed' });
  await onlyRun(api, id, 'SUCCEEDED');
});

test('runs that cause one another by the calls of a campaign come to an end', async () => {
  const api = await freshApi();
  await fund(api);
  const { id: assistant_id } = await callingAssistant(api);
  const { id: campaign_id } = await makeCampaign(api, { channel: 'call', assistant_id });
  await api.post('/api/user/campaigns/update-status', { campaign_id, action: 'start' });
  const lead = { campaign_id, phone_number: freshCustomerNumber(), allow_dupplicate: true };
  const { automation_id: id } = await createAutomation(
    api,
    flow({ type: 'call.completed' }, { id: 'again', type: 'lead.add', input: lead }),
    { assistant_id },
  );
  await api.post('/api/user/lead', lead);
  // Depths 0 to 8: nine runs, ten calls with the first one.
  const ended = new Set<number>();
  while (ended.size < 10) {
    const ringing = await eventually(async () => {
      const { data } = (await api.get('/api/user/calls?status=ringing')).body as { data: Call[] };
      const next = data.find((call) => !ended.has(call.id));
      if (!next) throw new Error(`After ${ended.size} calls nobody is called.`);
      return next;
    });
    await endCall(ringing, { outcome: 'completed', duration_s: 1 });
    ended.add(ringing.id);
  }
  const history = `/api/user/history?resource=automation/${id}&type=AutomationTriggerRefused`;
  await eventually(async () => expect((await api.get(history)).body).toMatchObject({ data: [{}] }));
  expect(await runsOf(api, id)).toHaveLength(9);
});

describe('webhook.inbound', () => {
  let api: Api;
  beforeAll(async () => {
    api = await freshApi();
  });
  const post = (url: string | null, raw: string | Buffer, headers: Record<string, string> = {}) =>
    comingBack(createApi(url ?? '')).call('POST', '', { raw, headers });
  const secret = 'shared-secret';
  const signatureOf = (bytes: string | Buffer) => createHmac('sha256', secret).update(bytes).digest('hex');

  async function createSignedAutomation() {
    const connection = await makeOne(api, '/api/user/automate/connections', {
      name: 'Shop',
      kind: 'hmac_sha256',
      secret,
    });
    const created = await createAutomation(api, {
      ...flow(
        { type: 'webhook.inbound', signature: { connection: 'shop', header: 'X-Signature' } },
        { id: 'map', type: 'data.map', input: { n: '{{trigger.body.n}}' } },
      ),
      connections: { shop: { kind: 'hmac_sha256', id: connection } },
    });
    return { ...created, connection };
  }

  async function refusalsOf(automationId: string): Promise<readonly string[]> {
    const path = `/api/user/history?resource=automation/${automationId}&type=AutomationTriggerRefused`;
    const { data } = (await api.get(path)).body as { data: { summary: string }[] };
    return data.map(({ summary }) => summary);
  }

  test('starts a run with what was sent, once for each request id', async () => {
    const { automation_id: id, webhook_url: url } = await createAutomation(
      api,
      flow(
        { type: 'webhook.inbound' },
        {
          id: 'map',
          type: 'data.map',
          input: { n: '{{trigger.body.order.n}}', h: "{{trigger.headers['x-shop']}}" },
        },
      ),
    );
    const headers = { 'x-shop': 'north', 'webhook-id': 'msg_1' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(url, '{"order":{"n":1}}', headers)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const { id: run } = await onlyRun(api, id, 'SUCCEEDED');
    expect(answers[0]?.body).toEqual({ received: true, run_id: run });
    await post(url, 'n=1', { 'content-type': 'application/x-www-form-urlencoded' });
    await eventually(async () =>
      expect((await runsOf(api, id)).map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']),
    );
  });

  test('answers nothing but not found to whoever does not know the token', async () => {
    const { automation_id: id, webhook_url: url } = await createAutomation(api, mapFlow());
    const wrong = [`${url}x`, url?.slice(0, -1) ?? '', url?.replace(/[^/]+$/, id) ?? ''];
    for (const each of wrong) expect((await post(each, '{}')).status, each).toBe(404);
    await api.delete(`/api/user/automate/flows/${id}`);
    expect((await post(url, '{}')).status).toBe(404);
  });

  test('takes signed requests only, where it is told to', async () => {
    const { automation_id: id, webhook_url: url } = await createSignedAutomation();
    const body = '{"n":1}';
    const signature = signatureOf(body);
    for (const headers of [
      {},
      { 'x-signature': '' },
      { 'x-signature': signature.replace(/^./, 'x') },
      { 'x-signature': `sha256=${signature}0` },
    ])
      expect((await post(url, body, headers as Record<string, string>)).status).toBe(401);
    expect((await post(url, `${body} `, { 'x-signature': signature })).status).toBe(401);
    expect((await post(url, body, { 'x-signature': `sha256=${signature}` })).status).toBe(200);
    await onlyRun(api, id, 'SUCCEEDED');
    expect(await refusalsOf(id)).toEqual([expect.stringContaining('not signed as the trigger wants it')]);
  });

  test('says in the history that the connection for its signature was deleted', async () => {
    const { automation_id: id, webhook_url: url, connection } = await createSignedAutomation();
    expect((await api.delete(`/api/user/automate/connections/${connection}`)).status).toBe(200);
    const body = '{"n":1}';
    for (let times = 0; times < 2; times += 1)
      expect((await post(url, body, { 'x-signature': signatureOf(body) })).status).toBe(401);
    expect(await refusalsOf(id)).toEqual([expect.stringContaining('signed with was deleted')]);
  });

  test('unpacks what is sent packed, and takes its signature as one of the bytes that arrived', async () => {
    const { automation_id: id, webhook_url: url } = await createSignedAutomation();
    const send = (body: string | Buffer, signed: string | Buffer) =>
      post(url, body, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-signature': signatureOf(signed),
      });
    const body = '{"n":1}';
    const packed = gzipSync(body);
    expect((await send(packed, body)).status).toBe(401);
    expect((await send(body, body)).status).toBe(400);
    expect((await send(packed, packed)).status).toBe(200);
    await onlyRun(api, id, 'SUCCEEDED');
  });

  test('refuses what is not what it says', async () => {
    const { automation_id: id, webhook_url: url } = await createAutomation(api, mapFlow());
    expect((await post(url, '{"a":', { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post(url, '{"a":"\\u0000"}', { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post(url, `"${'x'.repeat(530_000)}"`, { 'content-type': 'application/json' })).status).toBe(
      413,
    );
    const deep = await post(url, '['.repeat(2_500) + ']'.repeat(2_500));
    expect([deep.status, deep.body]).toMatchObject([422, { errors: { body: [expect.any(String)] } }]);
    expect(await runsOf(api, id)).toEqual([]);
  });
});
