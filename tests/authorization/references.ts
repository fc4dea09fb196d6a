import type { OperationDefinition } from '@parley/contracts';
import type { Api } from '../support/api.ts';
import { assistantBody, createAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow, runOnce } from '../support/automations.ts';
import { makeCampaign, settingsOf } from '../support/campaigns.ts';
import { ownChat, ownTemplate } from '../support/chat-examples.ts';
import { connectedSender, freshCustomerNumber } from '../support/chat-platform.ts';
import { unique } from '../support/examples.ts';
import { ownSipTrunk } from '../support/sip-trunks.ts';

/** An id that an operation takes beside those of its example: whose it is shows in no answer. */
export interface Reference {
  readonly operation: string;
  readonly field: string;
  /** Of the victim. */
  readonly own: (api: Api) => Promise<number | string>;
  /** What a stranger asks with it. */
  readonly ask: (stranger: Api, id: number | string) => Promise<Request>;
}
interface Request {
  /** For the path's parameter. */
  readonly id?: number | string;
  readonly query?: string;
  readonly body?: object;
}

const ownSender = async (api: Api): Promise<number> => (await connectedSender(api)).id;
const ownAutomation = async (api: Api): Promise<string> =>
  (await createAutomation(api, mapFlow())).automation_id;
const ownAssistant = (api: Api) => createAssistant(api);
const filter =
  (field: string): Reference['ask'] =>
  async (_, id) => ({ query: `${field}=${id}` });
const campaign =
  (settings: (id: number | string, stranger: Api) => object | Promise<object>): Reference['ask'] =>
  async (stranger, id) => ({ body: { name: unique('Campaign'), ...(await settings(id, stranger)) } });

const ownCampaign =
  (channel: 'call' | 'chatapp', change: (id: number | string) => object): Reference['ask'] =>
  async (stranger, id) => ({
    id: (await makeCampaign(stranger, await settingsOf[channel](stranger))).id,
    body: change(id),
  });

/** Those of a catalogue that belongs to nobody. */
export const catalogueIds = ['voice_id', 'language_id', 'llm_model_id', 'multimodal_model_id'];

export const references: readonly Reference[] = [
  {
    operation: 'create-automation',
    field: 'assistant_id',
    own: ownAssistant,
    ask: async (_, assistant_id) => ({
      body: { name: 'Automation', flow: mapFlow(), assistant_id, bind_webhook: true },
    }),
  },
  {
    operation: 'update-automation',
    field: 'assistant_id',
    own: ownAssistant,
    ask: async (stranger, assistant_id) => ({ id: await ownAutomation(stranger), body: { assistant_id } }),
  },
  {
    operation: 'list-automation-runs',
    field: 'run_id',
    own: async (api) => (await runOnce(api, mapFlow().steps, {}, 'SUCCEEDED')).id,
    ask: async (stranger, id) => ({ id: await ownAutomation(stranger), query: `run_id=${id}` }),
  },
  {
    operation: 'list-automation-runs',
    field: 'before',
    own: async (api) => (await runOnce(api, mapFlow().steps, {}, 'SUCCEEDED')).id,
    ask: async (stranger, id) => ({ id: await ownAutomation(stranger), query: `before=${id}` }),
  },
  {
    operation: 'create-campaign',
    field: 'assistant_id',
    own: (api) => createAssistant(api, { type: 'outbound' }),
    ask: campaign((assistant_id) => ({ channel: 'call', assistant_id })),
  },
  {
    operation: 'create-campaign',
    field: 'sender_id',
    own: ownSender,
    ask: campaign((sender_id) => ({ channel: 'chatapp', sender_id, template_id: 1 })),
  },
  {
    operation: 'create-campaign',
    field: 'template_id',
    own: ownTemplate,
    ask: campaign(async (template_id, stranger) => ({
      channel: 'chatapp',
      sender_id: await ownSender(stranger),
      template_id,
    })),
  },
  {
    operation: 'update-campaign',
    field: 'assistant_id',
    own: (api) => createAssistant(api, { type: 'outbound' }),
    ask: ownCampaign('call', (assistant_id) => ({ assistant_id })),
  },
  {
    operation: 'update-campaign',
    field: 'sender_id',
    own: ownSender,
    ask: ownCampaign('chatapp', (sender_id) => ({ sender_id })),
  },
  {
    operation: 'update-campaign',
    field: 'template_id',
    own: ownTemplate,
    ask: ownCampaign('chatapp', (template_id) => ({ template_id })),
  },
  {
    operation: 'request-call-permission',
    field: 'template_id',
    own: ownTemplate,
    async ask(stranger, template_id) {
      const { id: sender_id } = await connectedSender(stranger, { calling_enabled: true });
      return { body: { sender_id, recipient_phone: freshCustomerNumber(), template_id } };
    },
  },
  {
    operation: 'explain-call-permission',
    field: 'template_id',
    own: ownTemplate,
    async ask(stranger, id) {
      // Of somebody who has not written: a message opens a session only a moment after it stands in its conversation.
      const { id: sender } = await ownChat(stranger);
      return { query: `sender_id=${sender}&template_id=${id}&recipient_phone=%2B491719998878` };
    },
  },
  {
    operation: 'explain-send',
    field: 'template_id',
    own: ownTemplate,
    async ask(stranger, id) {
      const { id: sender } = await ownChat(stranger);
      return { query: `sender_id=${sender}&template_id=${id}&recipient_phone=%2B491719998877` };
    },
  },
  ...(['create-assistant', 'update-assistant'] as const).map(
    (operation): Reference => ({
      operation,
      field: 'phone_number_id',
      own: ownSipTrunk,
      ask: async (stranger, phone_number_id) =>
        operation === 'create-assistant'
          ? { body: assistantBody({ name: 'Reception', phone_number_id }) }
          : { id: await ownAssistant(stranger), body: { phone_number_id } },
    }),
  ),
  {
    operation: 'list-leads',
    field: 'campaign_id',
    own: async (api) => (await makeCampaign(api)).id,
    ask: filter('campaign_id'),
  },
  {
    operation: 'list-webhook-deliveries',
    field: 'assistant_id',
    own: ownAssistant,
    ask: filter('assistant_id'),
  },
  { operation: 'list-calls', field: 'assistant_id', own: ownAssistant, ask: filter('assistant_id') },
];

export const sendReference = (
  api: Api,
  { method, path }: OperationDefinition,
  { id, query, body }: Request,
) =>
  api.call(
    method,
    path.replace(/\{\w+\}/, String(id)) + (query === undefined ? '' : `?${query}`),
    body === undefined ? {} : { body },
  );
