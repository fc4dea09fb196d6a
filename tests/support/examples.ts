import { randomUUID } from 'node:crypto';
import type { OperationDefinition } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect } from 'vitest';
import type { Api } from './api.ts';
import { assistantBody, createAssistant as ownAssistant } from './assistants.ts';
import { createAutomation, mapFlow, runOnce } from './automations.ts';
import { fund, ownCall, ownCallingAssistant } from './calls.ts';
import { exampleCustomer, ownChat, ownTemplate, startedConversation } from './chat-examples.ts';
import { connectedSender, control, platformNumber } from './chat-platform.ts';
import { ownSipTrunk, sipTrunkBody } from './sip-trunks.ts';
import { numberForSale, ownNumber, setCard } from './telephony.ts';
import { ownDelivery } from './webhooks.ts';

/**
 * A valid request of an operation, made for the account `api`. `own` prepares a resource and returns its id;
 * `bodyIds` are the fields of the body that name something the account owns, with what prepares it. Every operation
 * needs an entry: one without fails the authorization matrix.
 */
export interface Example {
  readonly own?: (api: Api) => Promise<number | string>;
  readonly body?: () => Record<string, unknown> | Promise<Record<string, unknown>>;
  readonly query?: string;
  readonly bodyIds?: Readonly<Record<string, (api: Api) => Promise<number>>>;
  /** As `bodyIds`, for parameters of the query. */
  readonly queryIds?: Readonly<Record<string, (api: Api) => Promise<number | string>>>;
  /** A CSV file that is sent instead of JSON. */
  readonly csv?: string;
}

/** A text that no other test uses. */
export const unique = (prefix: string) => `${prefix} ${randomUUID()}`;
const created = async (api: Api, path: string): Promise<number> =>
  ((await api.post(path, { name: unique('Own') })).body as { data: { id: number } }).data.id;
const ownFolder = (api: Api) => created(api, '/api/user/folder');
const ownLabel = (api: Api) => created(api, '/api/user/label');
const ownKnowledgebase = (api: Api) => created(api, '/api/user/knowledgebases');
/** The id of a request that made a folder of the account. */
const ownRequest = async (api: Api): Promise<string> =>
  String((await api.post('/api/user/folder', { name: unique('Traced') })).headers['x-request-id']);
/** The id of the event that renamed a folder of the account. */
async function ownChange(api: Api): Promise<string> {
  const id = await ownFolder(api);
  await api.put(`/api/user/folder/${id}`, { name: unique('Renamed') });
  const { body } = await api.get(`/api/user/history?resource=folder/${id}`);
  return (body as { data: { event_id: string }[] }).data[0]?.event_id ?? '';
}
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
const ownChatSender = async (api: Api): Promise<number> => (await ownChat(api)).id;
const ownAutomation = async (api: Api): Promise<string> =>
  (await createAutomation(api, mapFlow())).automation_id;
async function ownFailedRun(api: Api): Promise<string> {
  const steps = [{ id: 'map', type: 'data.map', input: { x: '{{trigger.missing}}' } }];
  const { automationId, id } = await runOnce(api, steps, {}, 'FAILED');
  return `${automationId},${id}`;
}
const connectionBody = () => ({ name: unique('Connection'), kind: 'http_bearer', secret: 'open sesame' });
const ownConnection = async (api: Api): Promise<number> =>
  ((await api.post('/api/user/automate/connections', connectionBody())).body as { data: { id: number } }).data
    .id;
const customer = '+491701234567';
/** One that the customer has written to, and that may ask for calls; `isGranted`: that may call as well. */
async function callingSender(api: Api, isGranted = false): Promise<number> {
  await fund(api);
  const template = { name: 'may_we_call', kind: 'voice_call_request' } as const;
  const { id, phone } = await connectedSender(api, { calling_enabled: true }, [template]);
  const parties = { to: phone, from: customer };
  await control('chat/inbound', { ...parties, text: 'Hello' });
  if (isGranted) await control('chat/permission-reply', { ...parties, response: 'accept', permanent: true });
  const query = `sender_id=${id}&recipient_phone=${encodeURIComponent(customer)}`;
  await eventually(async () => {
    const { body } = await api.get(`/api/user/chatapp/voice/permission?${query}`);
    expect(body).toMatchObject({ session_open: true, can_call: isGranted });
  });
  return id;
}
async function ownCard(api: Api): Promise<number> {
  await setCard(api);
  return 1;
}
const customerQuery = `?recipient_phone=${encodeURIComponent(customer)}`;

/** A field that holds several ids is called so. */
export const inField = (field: string, id: number | string) => (field.endsWith('_ids') ? [id] : id);

export const examples: Readonly<Record<string, Example>> = {
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
  'update-campaign': { own: ownCampaign, body: () => ({ name: unique('Campaign') }) },
  'delete-campaign': { own: ownCampaign },
  'list-campaigns': {},
  'update-campaign-status': { body: () => ({ action: 'start' }), bodyIds: { campaign_id: ownCampaign } },
  'create-lead': { body: () => ({ phone_number: '+14155552672' }), bodyIds: { campaign_id: ownCampaign } },
  'update-lead': { own: ownLead, body: () => ({ variables: { name: unique('Lead') } }) },
  'reopen-lead': { own: ownLead },
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
  'make-call': { body: () => ({ phone_number: customer }), bodyIds: { assistant_id: ownCallingAssistant } },
  'list-calls': {},
  'get-call': { own: ownCall },
  'create-sip-trunk': { body: () => sipTrunkBody() },
  'update-sip-trunk': { own: ownSipTrunk, body: () => ({ nickname: unique('Trunk') }) },
  'get-sip-trunk': { own: ownSipTrunk },
  'list-sip-trunks': {},
  'delete-sip-trunk': { own: ownSipTrunk },
  'list-webhook-deliveries': {},
  'redeliver-webhook': { own: ownDelivery },
  'backfill-webhooks': {
    body: async () => ({ event: 'post_call', since: '2026-01-01T00:00:00Z' }),
  },
  'get-webhook-secret': {},
  'get-voice-webhook': {},
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
  'disconnect-sender': { own: ownSender },
  'list-senders': {},
  'list-templates': { own: ownSender },
  'send-chatapp-template': {
    body: () => ({ recipient_phone: exampleCustomer }),
    bodyIds: { sender_id: ownChatSender, template_id: ownTemplate },
  },
  'explain-send': {
    query: `?template_id=999999999&recipient_phone=${encodeURIComponent(exampleCustomer)}`,
    queryIds: { sender_id: ownChatSender },
  },
  'send-freeform': {
    body: () => ({ recipient_phone: exampleCustomer, message: 'Hello' }),
    bodyIds: { sender_id: ownChatSender },
  },
  'get-session-status': {
    query: `?recipient_phone=${encodeURIComponent(exampleCustomer)}`,
    queryIds: { sender_id: ownChatSender },
  },
  'list-conversations': {},
  'get-conversation': { own: startedConversation },
  'enable-conversation-ai': { own: startedConversation },
  'disable-conversation-ai': { own: startedConversation },
  'request-call-permission': {
    body: () => ({ recipient_phone: customer }),
    bodyIds: { sender_id: (api) => callingSender(api) },
  },
  'get-call-permission': { query: customerQuery, queryIds: { sender_id: ownSender } },
  'explain-call-permission': { query: customerQuery, queryIds: { sender_id: ownSender } },
  'place-voice-call': {
    body: () => ({ recipient_phone: customer }),
    bodyIds: { sender_id: (api) => callingSender(api, true) },
  },
  'list-history': { queryIds: { resource: async (api) => `folder/${await ownFolder(api)}` } },
  'get-past-state': { queryIds: { resource: async (api) => `folder/${await ownFolder(api)}` } },
  'revert-change': { own: ownChange },
  'search-phone-numbers': { query: '?country_code=US' },
  'purchase-phone-number': { own: ownCard, body: async () => ({ phone_number: await numberForSale() }) },
  'list-phone-numbers': {},
  'list-assignable-phone-numbers': {},
  'update-phone-number': {
    own: async (api) => (await ownNumber(api)).id,
    body: () => ({ nickname: 'Hotline' }),
  },
  'release-phone-number': { own: async (api) => (await ownNumber(api)).id },
  'set-payment-method': { body: () => ({ token: 'pm_card_visa' }) },
  'get-payment-method': {},
  'remove-payment-method': { own: ownCard },
  'list-events': {},
  'list-automations': {},
  'get-automation': { own: ownAutomation },
  'create-automation': { body: () => ({ name: unique('Automation'), flow: mapFlow() }) },
  'update-automation': { own: ownAutomation, body: () => ({ name: unique('Automation') }) },
  'delete-automation': { own: ownAutomation },
  'test-automation': { own: ownAutomation, body: () => ({ sample: { n: 1 } }) },
  'list-automation-runs': { own: ownAutomation },
  'retry-automation-run': { own: ownFailedRun },
  'explain-automation-retry': { own: ownFailedRun },
  'list-connections': {},
  'create-connection': { body: connectionBody },
  'update-connection': { own: ownConnection, body: () => ({ secret: unique('secret') }) },
  'delete-connection': { own: ownConnection },
  'get-trace': { own: ownRequest },
  'set-voice-webhook': { body: () => ({ url: webhook_url }) },
};

/** `id` holds the path's parameters, joined by commas; one alone stands for each of them. */
export function pathOf(operation: OperationDefinition, id: string): string {
  const ids = id.split(',');
  return operation.path.replaceAll(/\{\w+\}/g, () => (ids.length > 1 ? ids.shift() : ids[0]) ?? id);
}

type Ids = Readonly<Record<string, unknown>>;

/** Resources of the account for the ids that the body or the query names. */
export async function ownIds(ids: Example['queryIds'], api: Api): Promise<Ids> {
  const made: Record<string, unknown> = {};
  for (const [field, own] of Object.entries(ids ?? {})) made[field] = inField(field, await own(api));
  return made;
}

interface SentIds {
  readonly body?: Ids;
  readonly query?: Ids;
}

/** The operation's example, on the resource `id`, with ids of the account in its body or query. */
export async function sendExample(
  api: Api,
  operation: OperationDefinition,
  example: Example,
  id: string,
  ids: SentIds = {},
) {
  const body = example.body || example.bodyIds ? { ...(await example.body?.()), ...ids.body } : undefined;
  const query = Object.entries(ids.query ?? {}).map(([field, value]) => `${field}=${value}`);
  if (example.query !== undefined) query.push(example.query.replace(/^\?/, ''));
  const path = pathOf(operation, id) + (query.length > 0 ? `?${query.join('&')}` : '');
  if (example.csv === undefined) return api.call(operation.method, path, body ? { body } : {});
  return api.call(operation.method, path, { raw: example.csv, headers: { 'content-type': 'text/csv' } });
}
