import { randomUUID } from 'node:crypto';
import { type OperationDefinition, operations } from '@parley/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls, type TestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { assistantBody, createAssistant as ownAssistant } from '../support/assistants.ts';
import { connectedSender, platformNumber } from '../support/chat-platform.ts';
import { readRows } from '../support/database.ts';
import { notFoundBody } from '../support/error-bodies.ts';
import { ownDelivery } from '../support/webhooks.ts';

/**
 * A valid request of every operation, made for the account `api`. An operation without an entry fails the suite, so a
 * new one cannot be forgotten. `own` prepares a resource and returns its id. `bodyIds` are the fields of the body that
 * point at something the account owns, with what prepares it.
 */
interface Example {
  readonly own?: (api: Api) => Promise<number | string>;
  readonly body?: () => Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly query?: string;
  readonly bodyIds?: Readonly<Record<string, (api: Api) => Promise<number>>>;
  /** The same for ids in the query. */
  readonly queryIds?: Readonly<Record<string, (api: Api) => Promise<number>>>;
  /** Sent instead of JSON. */
  readonly csv?: string;
}

const unique = (prefix: string) => `${prefix} ${randomUUID()}`;
const created = async (api: Api, path: string): Promise<number> =>
  ((await api.post(path, { name: unique('Own') })).body as { data: { id: number } }).data.id;
const ownFolder = (api: Api) => created(api, '/api/user/folder');
const ownLabel = (api: Api) => created(api, '/api/user/label');
const ownKnowledgebase = (api: Api) => created(api, '/api/user/knowledgebases');
const webhook_url = 'https://example.com/hook';
const ownKey = async (api: Api): Promise<number> =>
  ((await api.post('/api/user/api-keys', { name: unique('Own') })).body as { api_key: { id: number } })
    .api_key.id;

const ownCampaign = async (api: Api): Promise<number> =>
  (
    (await api.post('/api/user/campaign', { name: unique('Own'), channel: 'sms', body: 'Hello' })).body as {
      data: { id: number };
    }
  ).data.id;
const ownLead = async (api: Api): Promise<number> =>
  (
    (
      await api.post('/api/user/lead', {
        campaign_id: await ownCampaign(api),
        phone_number: '+14155552671',
      })
    ).body as { data: { id: number } }
  ).data.id;
const ownSender = async (api: Api): Promise<number> => (await connectedSender(api)).id;
/** A field that holds several ids is called so. */
const inField = (field: string, id: number) => (field.endsWith('_ids') ? [id] : id);

const examples: Readonly<Record<string, Example>> = {
  'create-api-key': { body: () => ({ name: unique('Key') }) },
  'list-api-keys': {},
  'delete-api-key': { own: ownKey },
  'get-me': {},
  'list-balance-transactions': {},
  'create-folder': { body: () => ({ name: unique('Folder') }) },
  'update-folder': { own: ownFolder, body: () => ({ name: unique('Folder') }) },
  'delete-folder': { own: ownFolder },
  'list-folders': {},
  'create-label': { body: () => ({ name: unique('Label') }) },
  'update-label': { own: ownLabel, body: () => ({ name: unique('Label') }) },
  'delete-label': { own: ownLabel },
  'list-labels': {},
  'create-campaign': { body: () => ({ name: unique('Campaign'), channel: 'sms', body: 'Hello' }) },
  'list-campaigns': {},
  'update-campaign-status': { body: () => ({ action: 'start' }), bodyIds: { campaign_id: ownCampaign } },
  'create-lead': { body: () => ({ phone_number: '+14155552672' }), bodyIds: { campaign_id: ownCampaign } },
  'update-lead': { own: ownLead, body: () => ({ variables: { name: unique('Lead') } }) },
  'delete-lead': { own: ownLead },
  'list-leads': {},
  'import-leads': { csv: 'phone_number,name\n+14155552673,Ada', queryIds: { campaign_id: ownCampaign } },
  'create-assistant': {
    body: assistantBody,
    bodyIds: { folder_id: ownFolder, label_ids: ownLabel, knowledgebase_id: ownKnowledgebase },
  },
  'update-assistant': {
    own: (api) => ownAssistant(api),
    body: () => ({ name: unique('Assistant') }),
    bodyIds: { folder_id: ownFolder, label_ids: ownLabel, knowledgebase_id: ownKnowledgebase },
  },
  'get-assistant': { own: (api) => ownAssistant(api) },
  'delete-assistant': { own: (api) => ownAssistant(api) },
  'list-assistants': {},
  'enable-webhook': { body: () => ({ webhook_url }), bodyIds: { assistant_id: (api) => ownAssistant(api) } },
  'disable-webhook': { bodyIds: { assistant_id: (api) => ownAssistant(api) } },
  'enable-inbound-webhook': {
    body: () => ({ webhook_url }),
    bodyIds: { assistant_id: (api) => ownAssistant(api) },
  },
  'disable-inbound-webhook': { bodyIds: { assistant_id: (api) => ownAssistant(api) } },
  'create-knowledgebase': { body: () => ({ name: unique('Knowledgebase') }) },
  'update-knowledgebase': { own: ownKnowledgebase, body: () => ({ name: unique('Knowledgebase') }) },
  'get-knowledgebase': { own: ownKnowledgebase },
  'delete-knowledgebase': { own: ownKnowledgebase },
  'list-knowledgebases': {},
  'list-webhook-deliveries': {},
  'redeliver-webhook': { own: ownDelivery },
  'get-webhook-secret': {},
  'rotate-webhook-secret': {},
  'connect-sender': {
    body: async () => ({ phone_number: await platformNumber(), display_name: unique('Sender') }),
    bodyIds: { assistant_id: (api) => ownAssistant(api) },
  },
  'update-sender': {
    own: ownSender,
    body: () => ({ display_name: unique('Sender') }),
    bodyIds: { assistant_id: (api) => ownAssistant(api) },
  },
  'list-senders': {},
  'list-templates': { own: ownSender },
  'set-voice-webhook': { body: () => ({ url: webhook_url }) },
};

const pathOf = (operation: OperationDefinition, id: string) => operation.path.replace(/\{\w+\}/, id);

type Ids = Readonly<Record<string, unknown>>;

/** Resources of the account for the ids that the body or the query names. */
async function ownIds(ids: Example['bodyIds'], api: Api): Promise<Ids> {
  const made: Record<string, unknown> = {};
  for (const [field, own] of Object.entries(ids ?? {})) made[field] = inField(field, await own(api));
  return made;
}

interface SentIds {
  readonly body?: Ids;
  readonly query?: Ids;
}

async function send(
  api: Api,
  operation: OperationDefinition,
  example: Example,
  id: string,
  ids: SentIds = {},
) {
  const body = example.body || example.bodyIds ? { ...(await example.body?.()), ...ids.body } : undefined;
  const query = Object.entries(ids.query ?? {}).map(([field, value]) => `${field}=${value}`);
  const path = pathOf(operation, id) + (query.length > 0 ? `?${query.join('&')}` : (example.query ?? ''));
  if (example.csv === undefined) return api.call(operation.method, path, body ? { body } : {});
  return api.call(operation.method, path, { raw: example.csv, headers: { 'content-type': 'text/csv' } });
}

describe.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    const example = examples[name];
    let victim: TestAccount;
    let stranger: TestAccount;

    beforeAll(async () => {
      victim = await freshAccount();
      stranger = await freshAccount();
    });

    test('has an example in this matrix', () => {
      expect(example).toBeDefined();
    });

    test('succeeds with the declared status and a body of the declared schema', async () => {
      const [api] = accountApis(victim);
      const id = example?.own ? await example.own(api) : 1;
      const ids = { body: await ownIds(example?.bodyIds, api), query: await ownIds(example?.queryIds, api) };
      const answer = await send(api, operation, example ?? {}, String(id), ids);
      expect(answer.status).toBe(operation.success.status);
      operation.success.schema.parse(answer.body);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.headers['x-request-id']).toBeTruthy();
    });

    test('refuses a missing, a malformed, an unknown and a revoked key', async () => {
      const [api] = accountApis(victim);
      const revoked = (await api.post('/api/user/api-keys', { name: unique('Revoked') })).body as {
        api_key: { id: number; token: string };
      };
      await api.delete(`/api/user/api-keys/${revoked.api_key.id}`);
      const url = gatewayUrls()[1] ?? '';
      for (const key of [undefined, '', 'nonsense', `parley_${'A'.repeat(43)}`, revoked.api_key.token]) {
        const answer = await send(createApi(url, key), operation, example ?? {}, '1');
        expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}']);
      }
    });

    for (const part of ['body', 'query'] as const)
      for (const field of Object.keys(example?.[`${part}Ids`] ?? {}))
        test(`answers the same bytes for a foreign and an unknown ${field}, and changes nothing`, async () => {
          const [owner] = accountApis(victim);
          const [other] = accountApis(stranger);
          const own = await ownIds(example?.[`${part}Ids`], other);
          const path = String(example?.own ? await example.own(other) : 1);
          const foreign = (await ownIds(example?.[`${part}Ids`], owner))[field];
          const before = await eventCount(operation, victim);
          const answers = [];
          for (const id of [foreign, inField(field, 999_999_999)])
            answers.push(
              await send(other, operation, example ?? {}, path, { [part]: { ...own, [field]: id } }),
            );
          expect(answers.map(({ text }) => text)).toEqual([answers[0]?.text, answers[0]?.text]);
          expect([404, 422]).toContain(answers[0]?.status);
          expect(await eventCount(operation, victim)).toBe(before);
        });

    if (!operation.path.includes('{')) return;

    test('answers the same bytes for a foreign id, an unknown id and a malformed one, and changes nothing', async () => {
      const [owner] = accountApis(victim);
      const [other] = accountApis(stranger);
      const id = await example?.own?.(owner);
      const before = await eventCount(operation, victim);
      const ids = [String(id), '999999999', 'abc', '0', '-1', '9223372036854775808', '1.5', '%00', '1e3'];
      const answers = [];
      for (const each of ids) answers.push(await send(other, operation, example ?? {}, each));
      for (const { status, text } of answers) {
        expect([status, text]).toEqual([404, answers[0]?.text]);
      }
      expect(answers[0]?.body).toEqual(notFoundBody(operation));
      expect(await eventCount(operation, victim)).toBe(before);
    });
  },
);

async function eventCount(operation: OperationDefinition, { id }: TestAccount): Promise<number> {
  const rows = await readRows<{ count: string }>(
    operation.service,
    `select count(*) from es.events where account_id = ${id}`,
  );
  return Number(rows[0]?.count);
}
