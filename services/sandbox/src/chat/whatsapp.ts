import { createHmac } from 'node:crypto';
import type { Hook } from '../callbacks/courier.ts';
import { hasBearer } from '../provider/credentials.ts';
import type { Provider, ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { contactWaId } from './contact.ts';
import {
  invalidParameter,
  somethingWentWrong,
  undeliverable,
  unknownObject,
  wrongToken,
} from './graph-error.ts';
import { selectFields } from './graph-fields.ts';
import { pageOf } from './graph-page.ts';
import {
  accountDefaults,
  accountNode,
  type Node,
  phoneNumberDefaults,
  phoneNumberNode,
  settingsNode,
  templateDefaults,
  templateNode,
} from './nodes.ts';
import { describePermission, readPermission } from './permission.ts';
import { callbackData, messageOperation, postMessage } from './send-message.ts';
import { findSender, listSenders, type Sender, type SenderKey } from './sender.ts';
import { listTemplates } from './template.ts';

export interface WhatsAppCredentials {
  readonly accessToken: string;
  readonly appSecret: string;
  /** The business portfolio that owns every account. */
  readonly businessId: string;
}

/** Graph versions have a dot, so that no path of another provider is taken for one. */
const root = '/:version(^v\\d+\\.\\d+$)/:id';

/** The WhatsApp Cloud API, as far as a messaging platform needs it. */
export function whatsApp(world: World, credentials: WhatsAppCredentials): Provider<'chat'> {
  const withSender = (
    key: SenderKey,
    answer: (sender: Sender, request: ProviderRequest) => Promise<ProviderAnswer>,
  ) => {
    return async (request: ProviderRequest) => {
      const id = request.params.id ?? '';
      const sender = await findSender(world.pool, key, id);
      return sender ? answer(sender, request) : unknownObject(request.method, id);
    };
  };
  return {
    name: 'chat',
    refuse: async (request) => (hasBearer(request, credentials.accessToken) ? null : wrongToken()),
    rejection: (operation) =>
      operation === 'send_message' || operation === 'send_permission_request'
        ? undeliverable()
        : invalidParameter('The request was rejected.'),
    breakdown: somethingWentWrong,
    routes: [
      {
        method: 'POST',
        path: `${root}/messages`,
        operation: (request) => messageOperation(world, request),
        idempotencyKey: callbackData,
        handle: (request) => postMessage(world, request),
      },
      { method: 'GET', path: root, operation: 'get_sender', handle: (request) => getNode(world, request) },
      {
        method: 'GET',
        path: `${root}/settings`,
        operation: 'get_sender',
        handle: withSender('phone_number_id', async (sender, { query }) => ({
          status: 200,
          body: settingsNode(sender, { credentials: query.include_sip_credentials === 'true' }),
        })),
      },
      {
        method: 'GET',
        path: `${root}/call_permissions`,
        operation: 'get_call_permission',
        handle: withSender('phone_number_id', async (sender, request) => {
          const contact = contactWaId(String(request.query.user_wa_id ?? ''));
          if (contact === '') return invalidParameter('user_wa_id is required');
          const state = await readPermission(world.pool, sender.phone_number_id, contact);
          return { status: 200, body: describePermission(state, world.clock.now()) };
        }),
      },
      {
        method: 'GET',
        path: `${root}/phone_numbers`,
        operation: 'get_sender',
        handle: withSender('waba_id', async (sender, request) =>
          edge([phoneNumberNode(sender)], request, phoneNumberDefaults),
        ),
      },
      {
        method: 'POST',
        path: `${root}/subscribed_apps`,
        operation: 'subscribe_app',
        handle: withSender('waba_id', async () => ({ status: 200, body: { success: true } })),
      },
      {
        method: 'GET',
        path: `${root}/message_templates`,
        operation: 'list_templates',
        handle: withSender('waba_id', async (sender, request) => {
          const templates = (await listTemplates(world.pool, sender.waba_id)).map(templateNode);
          return edge(templates.filter(matches(request.query)), request, templateDefaults);
        }),
      },
      ...(['owned_whatsapp_business_accounts', 'client_whatsapp_business_accounts'] as const).map((name) => ({
        method: 'GET' as const,
        path: `${root}/${name}`,
        operation: 'get_sender' as const,
        handle: async (request: ProviderRequest) => {
          if (request.params.id !== credentials.businessId)
            return unknownObject('GET', request.params.id ?? '');
          const owned = name === 'owned_whatsapp_business_accounts' ? await listSenders(world.pool) : [];
          return edge(owned.map(accountNode), request, accountDefaults);
        },
      })),
    ],
  };
}

/** A phone number or an account, whichever has the id. */
async function getNode(world: World, request: ProviderRequest): Promise<ProviderAnswer> {
  const id = request.params.id ?? '';
  const number = await findSender(world.pool, 'phone_number_id', id);
  if (number) return node(phoneNumberNode(number), request, phoneNumberDefaults);
  const account = await findSender(world.pool, 'waba_id', id);
  return account ? node(accountNode(account), request, accountDefaults) : unknownObject('GET', id);
}

const fieldsOf = ({ query }: ProviderRequest): string | null =>
  typeof query.fields === 'string' ? query.fields : null;

const node = (value: Node, request: ProviderRequest, defaults: readonly string[]): ProviderAnswer => ({
  status: 200,
  body: selectFields(value, fieldsOf(request), defaults),
});

function edge(nodes: readonly Node[], request: ProviderRequest, defaults: readonly string[]): ProviderAnswer {
  const page = pageOf(nodes, request);
  if (!page) return invalidParameter('after is not a cursor of this edge');
  return {
    status: 200,
    body: { ...page, data: page.data.map((value) => selectFields(value, fieldsOf(request), defaults)) },
  };
}

const filters = ['name', 'language', 'status', 'category'] as const;

const matches = (query: Readonly<Record<string, unknown>>) => (template: Node) =>
  filters.every((filter) => query[filter] === undefined || template[filter] === query[filter]);

/** Meta signs each notification with the app's secret. */
export const whatsAppHook = ({ appSecret }: WhatsAppCredentials): Hook => ({
  path: '/hooks/chat/whatsapp',
  headers: async (body) => ({
    'content-type': 'application/json',
    'x-hub-signature-256': `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`,
  }),
});
