import { whyNotUndone } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, freshAccount, sharedBus } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow } from '../support/automations.ts';
import { startedConversation } from '../support/chat-examples.ts';
import { connectedSender } from '../support/chat-platform.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';
import { ownNumber } from '../support/telephony.ts';
import { queueVoiceEvent, startWebhookReceiver } from '../support/webhooks.ts';

interface Change {
  readonly event: string;
  readonly event_id: string;
  readonly before: Record<string, unknown>;
}

const historyOf = async (api: Api, resource: string) =>
  (
    (await api.get(`/api/user/history?per_page=100&resource=${encodeURIComponent(resource)}`)).body as {
      data: Change[];
    }
  ).data;

/** The state that people are shown, without what moves on by itself. */
async function stateOf(api: Api, resource: string): Promise<unknown> {
  const { body } = await api.get(`/api/user/history/state?resource=${encodeURIComponent(resource)}`);
  const { updated_at, version, ...state } = (body as { data: { state: Record<string, unknown> } }).data.state;
  return state;
}

/** Makes one change after the other, each of which is one event. */
type Case = (
  api: Api,
) => Promise<{ readonly resource: string; readonly changes: readonly (() => Promise<unknown>)[] }>;

const id = async (made: Promise<{ body: unknown }>) =>
  ((await made).body as { data: { id: number } }).data.id;
const assistant: Case = async (api) => {
  const own = await createAssistant(api, { type: 'inbound' });
  const [folder, label] = [
    await id(api.post('/api/user/folder', { name: 'Sales' })),
    await id(api.post('/api/user/label', { name: 'Hot' })),
  ];
  const knowledgebase = await id(api.post('/api/user/knowledgebases', { name: 'Prices' }));
  const trunk = await createSipTrunk(api);
  const put = (body: object) => () => api.put(`/api/user/assistant/${own}`, body);
  const webhook =
    (name: string, body: object = {}) =>
    () =>
      api.post(`/api/user/assistants/${name}`, { assistant_id: own, ...body });
  const webhook_url = 'https://example.com/hook';
  return {
    resource: `assistant/${own}`,
    changes: [
      put({ name: 'Renamed' }),
      put({ llm_temperature: 0.9 }),
      put({ status: 'active' }),
      put({ status: 'inactive' }),
      put({ folder_id: folder }),
      put({ label_ids: [label] }),
      put({ knowledgebase_id: knowledgebase }),
      put({ phone_number_id: trunk.id }),
      webhook('enable-webhook', { webhook_url }),
      webhook('disable-webhook'),
      webhook('enable-inbound-webhook', { webhook_url }),
      webhook('disable-inbound-webhook'),
    ],
  };
};
const organiser =
  (noun: string): Case =>
  async (api) => {
    const own = await id(api.post(`/api/user/${noun}`, { name: 'Before' }));
    const put = (body: object) => () => api.put(`/api/user/${noun}/${own}`, body);
    return { resource: `${noun}/${own}`, changes: [put({ name: 'After' }), put({ color: 'teal' })] };
  };

const cases: Readonly<Record<string, Case>> = {
  assistant,
  folder: organiser('folder'),
  label: organiser('label'),
  async knowledgebase(api) {
    const own = await id(api.post('/api/user/knowledgebases', { name: 'Before', description: 'Of 2025' }));
    const put = (body: object) => () => api.put(`/api/user/knowledgebases/${own}`, body);
    return {
      resource: `knowledgebase/${own}`,
      changes: [put({ name: 'After' }), put({ description: 'Of 2026' })],
    };
  },
  async campaign(api) {
    const campaign_id = await id(
      api.post('/api/user/campaign', { name: 'Spring', channel: 'sms', body: 'Hi' }),
    );
    const act = (action: string) => () =>
      api.post('/api/user/campaigns/update-status', { campaign_id, action });
    const put = (body: object) => () => api.put(`/api/user/campaign/${campaign_id}`, body);
    return {
      resource: `campaign/${campaign_id}`,
      changes: [
        act('start'),
        act('stop'),
        put({ name: 'Summer' }),
        put({ body: 'Hello', windows: [{ days: [1], from: '09:00', to: '10:00' }], retries: null }),
        put({ retries: { max_attempts: 1, delay_minutes: 5 }, variable_mapping: { name: 'phone_number' } }),
      ],
    };
  },
  async lead(api) {
    const campaign_id = await id(
      api.post('/api/user/campaign', { name: 'Spring', channel: 'sms', body: 'Hi' }),
    );
    const own = await id(
      api.post('/api/user/lead', { campaign_id, phone_number: '+14155552671', variables: { name: 'Ada' } }),
    );
    const put = (body: object) => () => api.put(`/api/user/leads/${own}`, body);
    return {
      resource: `lead/${own}`,
      changes: [put({ phone_number: '+14155552672' }), put({ variables: { name: 'Grace' } })],
    };
  },
  async 'voice-webhook'(api) {
    const me = (await api.get('/api/user/me')).body as { id: number };
    const resource = `voice-webhook/${me.id}`;
    const put = (url: string | null) => () => api.put('/api/user/voice-webhook', { url });
    await put('https://example.com/first')();
    const gone = await startWebhookReceiver({ status: 410 });
    onTestFinished(() => gone.close());
    // We turn it off ourselves when its URL is gone, or has failed for days.
    const turnOff = async () => {
      await queueVoiceEvent(await sharedBus(), me.id);
      await eventually(async () => expect(await stateOf(api, resource)).toEqual({ url: null }));
    };
    return { resource, changes: [put('https://example.com/a'), put(null), put(gone.url), turnOff] };
  },
  async sender(api) {
    const own = (await connectedSender(api)).id;
    const assistant_id = await createAssistant(api);
    const put = (body: object) => () => api.put(`/api/user/chatapp/senders/${own}`, body);
    return { resource: `sender/${own}`, changes: [put({ display_name: 'Renamed' }), put({ assistant_id })] };
  },
  async conversation(api) {
    const uuid = await startedConversation(api);
    const { body } = await api.get(`/api/user/conversations/${uuid}`);
    const turn = (action: string) => () => api.post(`/api/user/conversations/${uuid}/${action}-ai`);
    return {
      resource: `conversation/${(body as { data: { id: number } }).data.id}`,
      changes: [turn('disable'), turn('enable')],
    };
  },
  async number(api) {
    const own = (await ownNumber(api)).id;
    // Between two changes it would be the newest of them.
    await eventually(async () =>
      expect(await historyOf(api, `number/${own}`)).toContainEqual(
        expect.objectContaining({ event: 'NumberPaymentConfirmed' }),
      ),
    );
    const put = (nickname: string | null) => () => api.put(`/api/user/phone-numbers/${own}`, { nickname });
    return { resource: `number/${own}`, changes: [put('Hotline'), put(null)] };
  },
  async 'sip-trunk'(api) {
    const own = (await createSipTrunk(api)).id;
    const put = (body: object) => () => api.put(`/api/user/phone-numbers/sip-trunks/${own}`, body);
    const inbound = { inbound_authorization_type: 'ip', allowed_inbound_ips: ['203.0.113.7'] };
    return { resource: `sip-trunk/${own}`, changes: [put({ nickname: 'Fair' }), put(inbound)] };
  },
  async automation(api) {
    const { automation_id: own } = await createAutomation(api, mapFlow());
    const put = (body: object) => () => api.put(`/api/user/automate/flows/${own}`, body);
    return {
      resource: `automation/${own}`,
      changes: [
        put({ name: 'Renamed' }),
        put({ flow: mapFlow({ b: 2 }) }),
        put({ enabled: false }),
        put({ enabled: true }),
      ],
    };
  },
  async connection(api) {
    const own = await id(
      api.post('/api/user/automate/connections', { name: 'Before', kind: 'http_bearer', secret: 'sesame' }),
    );
    const put = (body: object) => () => api.put(`/api/user/automate/connections/${own}`, body);
    return { resource: `connection/${own}`, changes: [put({ name: 'After' })] };
  },
};

const seen = new Set<string>();

test.each(Object.entries(cases))(
  'every change of a %s can be undone, the newest first',
  async (_, prepare) => {
    const [api] = accountApis(await freshAccount());
    const { resource, changes } = await prepare(api);
    const states = [await stateOf(api, resource)];
    const made: Change[] = [];
    for (const change of changes) {
      await change();
      const [newest] = await historyOf(api, resource);
      if (newest) made.push(newest);
      states.push(await stateOf(api, resource));
    }
    expect(new Set(made.map(({ event_id }) => event_id)).size).toBe(changes.length);
    for (const { event, event_id, before } of made.toReversed()) {
      states.pop();
      const answer = await api.post(`/api/user/history/${event_id}/revert`);
      expect([event, answer.status, answer.text]).toEqual([event, 200, expect.any(String)]);
      expect(answer.body).toMatchObject({ data: { resource, event, event_id } });
      expect(Object.keys(before).length).toBeGreaterThan(0);
      await eventually(async () => expect(await stateOf(api, resource)).toEqual(states.at(-1)));
      seen.add(event);
    }
  },
);

test('no type of event that can be undone was left out', () => {
  const possible = Object.entries(whyNotUndone).flatMap(([type, reason]) => (reason === null ? [type] : []));
  expect([...seen].sort()).toEqual(possible.sort());
});

test('what cannot be undone says why, by the type of what happened', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const trunk = await createSipTrunk(api);
  await api.put(`/api/user/phone-numbers/sip-trunks/${trunk.id}`, { sip_password: 'another-password' });
  await api.post('/api/user/webhook-secret/rotate');
  const { automation_id } = await createAutomation(api, mapFlow());
  await api.delete(`/api/user/automate/flows/${automation_id}`);
  const { data } = (await api.get('/api/user/events?limit=500')).body as {
    data: { type: string; event_id: string }[];
  };
  expect(data.length).toBeGreaterThan(8);
  for (const { type, event_id } of data) {
    if (whyNotUndone[type] === null) continue;
    const { status, body } = await api.post(`/api/user/history/${event_id}/revert`);
    expect([type, status, body]).toEqual([type, 422, { message: whyNotUndone[type] }]);
  }
});

test('the first definition of an automation cannot be taken from it, and a foreign change is not found', async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const { automation_id } = await createAutomation(api, mapFlow());
  const changes = await historyOf(api, `automation/${automation_id}`);
  const saved = changes.find(({ event }) => event === 'AutomationDefinitionSaved');
  const refused = await api.post(`/api/user/history/${saved?.event_id}/revert`);
  expect([refused.status, refused.body]).toEqual([
    422,
    { message: expect.stringContaining('The first definition') },
  ]);
  expect((await stranger.post(`/api/user/history/${saved?.event_id}/revert`)).status).toBe(404);
});

test('a change that comes while another one is undone is never overwritten', async () => {
  const [api, elsewhere] = accountApis(await freshAccount());
  const own = await id(api.post('/api/user/folder', { name: 'Before' }));
  const rename = (by: Api, name: string) => by.put(`/api/user/folder/${own}`, { name });
  for (let round = 1; round <= 30; round += 1) {
    await rename(api, `Wrong ${round}`);
    const [wrong] = await historyOf(api, `folder/${own}`);
    const [{ status }] = await Promise.all([
      api.post(`/api/user/history/${wrong?.event_id}/revert`),
      rename(elsewhere, `Right ${round}`),
    ]);
    expect([200, 422]).toContain(status);
    expect(await stateOf(api, `folder/${own}`)).toMatchObject({ name: `Right ${round}` });
  }
});
