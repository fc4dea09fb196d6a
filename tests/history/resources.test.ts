import { randomUUID } from 'node:crypto';
import { listResources, operatorSubject, serviceNames } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, expect, test } from 'vitest';
import { accountApis, freshAccount, sharedBus } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { runOnce } from '../support/automations.ts';
import { ownCall } from '../support/calls.ts';
import { exampleCustomer, ownChat, ownTemplate, startedConversation } from '../support/chat-examples.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';
import { ownSms } from '../support/sms.ts';
import { ownNumber } from '../support/telephony.ts';
import { ownDelivery } from '../support/webhooks.ts';

let api: Api;
let stranger: Api;
let accountId: number;
beforeAll(async () => {
  const account = await freshAccount();
  accountId = account.id;
  [api] = accountApis(account);
  [stranger] = accountApis(await freshAccount());
});

const id = async (path: string, body: object): Promise<number> =>
  ((await api.post(path, body)).body as { data: { id: number } }).data.id;
const campaign = () => id('/api/user/campaign', { name: 'Spring', channel: 'sms', body: 'Hi' });
const chat = async (path: string) => ((await api.get(path)).body as { data: { id: number } }).data.id;
const lead = async () =>
  id('/api/user/lead', { campaign_id: await campaign(), phone_number: '+14155552671' });

/** The id of a resource whose stream begins with an event of that type. */
async function fromLog(type: string, category: string): Promise<string> {
  const { data } = (await api.get(`/api/user/events?limit=500&types=${type}`)).body as {
    data: { stream_id: string }[];
  };
  return data.at(-1)?.stream_id.slice(category.length + 1) ?? '';
}

/** Something of every kind that has a history, by how the history calls it. */
const kinds: Readonly<Record<string, () => Promise<string | number>>> = {
  account: async () => accountId,
  'api-key': async () =>
    ((await api.post('/api/user/api-keys', { name: 'laptop' })).body as { api_key: { id: number } }).api_key
      .id,
  balance: async () => {
    await ownCall(api);
    return accountId;
  },
  folder: () => id('/api/user/folder', { name: `Sales ${randomUUID()}` }),
  label: () => id('/api/user/label', { name: `Hot ${randomUUID()}` }),
  assistant: () => createAssistant(api),
  knowledgebase: () => id('/api/user/knowledgebases', { name: 'Prices' }),
  campaign,
  lead,
  'webhook-delivery': () => ownDelivery(api),
  'webhook-backfill': async () => {
    await ownDelivery(api);
    const body = { event: 'chatapp_voice', since: '2026-01-01T00:00:00Z' };
    await api.post('/api/user/webhook-deliveries/backfill', body);
    return fromLog('WebhookBackfillRequested', 'webhook-backfill');
  },
  'lead-import': async () => {
    const path = `/api/user/leads/import?campaign_id=${await campaign()}`;
    await api.call('POST', path, {
      raw: 'phone_number\n+14155552673',
      headers: { 'content-type': 'text/csv' },
    });
    return fromLog('LeadImportStarted', 'lead-import');
  },
  'voice-webhook': async () => {
    await api.put('/api/user/voice-webhook', { url: 'https://example.com/voice' });
    return accountId;
  },
  'webhook-secret': async () => {
    await api.post('/api/user/webhook-secret/rotate');
    return accountId;
  },
  sender: async () => (await ownChat(api)).id,
  template: () => ownTemplate(api),
  conversation: async () => chat(`/api/user/conversations/${await startedConversation(api)}`),
  message: async () => {
    const { data } = (await api.get(`/api/user/conversations/${await startedConversation(api)}`)).body as {
      data: { messages: { id: number }[] };
    };
    return data.messages[0]?.id ?? 0;
  },
  permission: async () => `${(await ownChat(api)).id}:${exampleCustomer}`,
  call: () => ownCall(api),
  sms: () => ownSms(api),
  number: async () => (await ownNumber(api)).id,
  'payment-method': async () => {
    await ownNumber(api);
    return accountId;
  },
  'sip-trunk': async () => (await createSipTrunk(api)).id,
  automation: async () =>
    (await runOnce(api, [{ id: 'map', type: 'data.map', input: {} }], {}, 'SUCCEEDED')).automationId,
  run: async () => (await runOnce(api, [{ id: 'map', type: 'data.map', input: {} }], {}, 'SUCCEEDED')).id,
  connection: () =>
    id('/api/user/automate/connections', { name: 'CRM', kind: 'http_bearer', secret: 'open sesame' }),
};

test('no kind of resource that a service knows is left out', async () => {
  const bus = await sharedBus();
  const known = await Promise.all(
    serviceNames.map(async (service) => {
      const reply = await eventually(() =>
        bus.request({
          service,
          subject: operatorSubject(service, listResources),
          payload: '{}',
          context: operatorContext,
        }),
      );
      return reply.kind === 'ok' ? listResources.output.parse(JSON.parse(reply.body)).resources : [];
    }),
  );
  expect(Object.keys(kinds).sort()).toEqual(known.flat().sort());
});

const operatorContext = {
  accountId: null,
  actor: { kind: 'operator', id: 'tests' },
  commandId: null,
  fingerprint: null,
  correlationId: 'tests',
  expectedVersion: null,
  baseUrl: null,
  timeoutMs: 10_000,
} as const;

interface Change {
  readonly event: string;
  readonly event_id: string;
  readonly occurred_at: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly request_id: string;
  readonly caused_by: string;
}
interface Page {
  readonly data: readonly Change[];
  readonly next_cursor: string | null;
}

test.each(Object.entries(kinds))(
  'the history of a %s is told, narrowed and paged, to its account alone',
  async (kind, make) => {
    const resource = `${kind}/${await make()}`;
    const path = `/api/user/history?resource=${encodeURIComponent(resource)}`;
    const ask = async (query = ''): Promise<Page> => {
      const answer = await api.get(`${path}${query}`);
      expect([resource, answer.status, answer.text]).toEqual([resource, 200, expect.any(String)]);
      return answer.body as Page;
    };
    // What goes on by itself, like a call that rings, comes to rest in the end.
    await eventually(async () => {
      const { data: all } = await ask('&per_page=100');
      expect(all.length).toBeGreaterThan(0);
      for (const change of all) {
        expect(change).toMatchObject({
          event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          actor: { kind: expect.stringMatching(/^(api_key|operator|automation|provider|system)$/) },
          request_id: expect.stringMatching(/./),
          caused_by: expect.stringMatching(/./),
        });
      }
      const oldest = all.at(-1);
      const query = (field: string, value: string | undefined) =>
        `&${field}=${encodeURIComponent(value ?? '')}`;
      const ofType = await ask(`&per_page=100${query('type', oldest?.event)}`);
      expect(ofType.data).toEqual(all.filter(({ event }) => event === oldest?.event));
      const byActor = await ask(
        `&per_page=100${query('actor', `${oldest?.actor.kind}:${oldest?.actor.id}`)}`,
      );
      expect(byActor.data).toEqual(
        all.filter(({ actor }) => actor.kind === oldest?.actor.kind && actor.id === oldest?.actor.id),
      );
      expect((await ask(`&per_page=100${query('until', oldest?.occurred_at)}`)).data).toContainEqual(oldest);
      expect((await ask(`&per_page=100${query('since', all[0]?.occurred_at)}`)).data).toContainEqual(all[0]);
      expect((await ask(query('since', '2999-01-01T00:00:00Z'))).data).toEqual([]);
      const paged: Change[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page = await ask(`&per_page=2${cursor && query('cursor', cursor)}`);
        paged.push(...page.data);
        cursor = page.next_cursor;
      }
      expect(paged).toEqual(all);
    });
    const foreign = await stranger.get(path);
    expect([foreign.status, foreign.text]).toEqual([404, '{"message":"Resource not found"}']);
    expect((await stranger.get(path.replace('/history?', '/history/state?'))).text).toBe(foreign.text);
  },
);

/** Where the API shows what has such a history, and what only the history tells of it. */
const shownAt: Readonly<Record<string, { readonly path: string; readonly beside?: readonly string[] }>> = {
  account: { path: '/api/user/me' },
  'api-key': { path: '/api/user/api-keys' },
  balance: { path: '/api/user/me' },
  folder: { path: '/api/user/folders' },
  label: { path: '/api/user/labels' },
  assistant: { path: '/api/user/assistant/{id}' },
  knowledgebase: { path: '/api/user/knowledgebases/{id}' },
  campaign: { path: '/api/user/campaigns' },
  lead: { path: '/api/user/leads', beside: ['attempts', 'attempt', 'reason', 'next'] },
  sender: { path: '/api/user/chatapp/senders' },
  template: { path: '/api/user/chatapp/senders/{sender}/templates', beside: ['sender_id'] },
  conversation: { path: '/api/user/conversations' },
  call: { path: '/api/user/calls/{id}' },
  number: { path: '/api/user/phone-numbers/all', beside: ['failure'] },
  'payment-method': { path: '/api/user/payment-method' },
  'sip-trunk': { path: '/api/user/phone-numbers/sip-trunks', beside: ['allowed_inbound_ips'] },
  automation: { path: '/api/user/automate/flows/{id}', beside: ['enabled'] },
  connection: { path: '/api/user/automate/connections' },
};

test.each(Object.entries(shownAt))(
  'a %s has the names and values of the API in its history',
  async (kind, { path, beside = [] }) => {
    const id = String(await kinds[kind]?.());
    const sender = String((await ownChat(api)).id);
    await eventually(async () => {
      const past = await api.get(`/api/user/history/state?resource=${kind}/${id}`);
      const shown = itemOf(await api.get(path.replace('{id}', id).replace('{sender}', sender)), id);
      const { state } = (past.body as { data: { state: Record<string, unknown> } }).data;
      const known = Object.entries(state).filter(([name]) => !beside.includes(name));
      expect(known.length).toBeGreaterThan(0);
      expect(Object.fromEntries(known.map(([name]) => [name, shown[name]]))).toEqual(
        Object.fromEntries(known),
      );
    });
  },
);

/** What the answer says of one thing: its `data`, the one of that id in it, or all of the body. */
function itemOf({ body }: { readonly body: unknown }, id: string): Readonly<Record<string, unknown>> {
  const { data = body } = body as { data?: unknown };
  const items = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[];
  return items.find((item) => items.length === 1 || String(item.id) === id) ?? {};
}
