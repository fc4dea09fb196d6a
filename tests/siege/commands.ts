import { randomUUID } from 'node:crypto';
import { assistantBody } from '../support/assistants.ts';
import { mapFlow } from '../support/automations.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { sipTrunkBody } from '../support/sip-trunks.ts';
import { numberForSale } from '../support/telephony.ts';
import type { Resident } from './resident.ts';

export interface SiegeRequest {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the outside world sees of it, where it does: a phone number, or the text itself. */
  readonly trace?: string;
}

export interface CommandKind {
  readonly name: string;
  /** How many of a hundred and sixty commands are of this kind. */
  readonly weight: number;
  readonly service: 'accounts' | 'assistants' | 'messaging' | 'telephony' | 'automations';
  /** One for each acknowledged command, and none for any other. */
  readonly event: string;
  /** Whether the event carries the marker. */
  readonly isMarked: boolean;
  /** `undefined` when the account has nothing left to ask for. */
  readonly make: (
    resident: Resident,
    marker: string,
  ) => SiegeRequest | undefined | Promise<SiegeRequest | undefined>;
}

const post = (path: string, body: SiegeRequest['body'], trace?: string): SiegeRequest => ({
  method: 'POST',
  path: `/api/user/${path}`,
  body,
  ...(trace === undefined ? {} : { trace }),
});
const put = (path: string, body: SiegeRequest['body']): SiegeRequest => ({
  method: 'PUT',
  path: `/api/user/${path}`,
  body,
});
const marked = { service: 'assistants', isMarked: true } as const;

/** At least one kind of every domain. */
export const commandKinds: readonly CommandKind[] = [
  {
    ...marked,
    name: 'create-folder',
    weight: 24,
    event: 'FolderCreated',
    make: (_, name) => post('folder', { name }),
  },
  {
    ...marked,
    name: 'update-folder',
    weight: 16,
    event: 'FolderRenamed',
    make: ({ folderId }, name) => put(`folder/${folderId}`, { name }),
  },
  {
    ...marked,
    name: 'create-label',
    weight: 14,
    event: 'LabelCreated',
    make: (_, name) => post('label', { name }),
  },
  {
    ...marked,
    name: 'create-knowledgebase',
    weight: 8,
    event: 'KnowledgebaseCreated',
    make: (_, name) => post('knowledgebases', { name }),
  },
  {
    ...marked,
    name: 'create-assistant',
    weight: 14,
    event: 'AssistantCreated',
    make: (_, name) => post('assistant', assistantBody({ name })),
  },
  {
    ...marked,
    name: 'update-assistant',
    weight: 10,
    event: 'AssistantRenamed',
    make: ({ assistantId }, name) => put(`assistant/${assistantId}`, { name }),
  },
  {
    ...marked,
    name: 'create-campaign',
    weight: 8,
    event: 'CampaignCreated',
    make: (_, name) => post('campaign', { name, channel: 'sms', body: 'Hello' }),
  },
  {
    name: 'create-lead',
    weight: 16,
    service: 'assistants',
    event: 'LeadCreated',
    isMarked: false,
    make: ({ campaignId }) => post('lead', { campaign_id: campaignId, phone_number: freshCustomerNumber() }),
  },
  {
    name: 'send-chatapp-template',
    weight: 14,
    service: 'messaging',
    event: 'MessageSent',
    isMarked: false,
    make({ senderId, templateId }) {
      const recipient_phone = freshCustomerNumber();
      const body = { sender_id: senderId, template_id: templateId, recipient_phone };
      return post('chatapp/send', body, recipient_phone);
    },
  },
  {
    name: 'send-freeform',
    weight: 8,
    service: 'messaging',
    event: 'MessageSent',
    isMarked: false,
    make: ({ senderId, writer }, message) =>
      post('chatapp/send-freeform', { sender_id: senderId, recipient_phone: writer, message }, message),
  },
  {
    name: 'request-call-permission',
    weight: 4,
    service: 'messaging',
    event: 'CallPermissionRequested',
    isMarked: false,
    make({ voiceSenderId, toAsk }) {
      const recipient_phone = toAsk.pop();
      if (recipient_phone === undefined) return undefined;
      return post('chatapp/voice/request', { sender_id: voiceSenderId, recipient_phone }, recipient_phone);
    },
  },
  {
    name: 'purchase-phone-number',
    weight: 2,
    service: 'telephony',
    event: 'NumberPurchased',
    isMarked: false,
    async make({ stack }) {
      const phone_number = await numberForSale(stack);
      return post('phone-numbers/purchase', { phone_number }, phone_number);
    },
  },
  {
    name: 'create-sip-trunk',
    weight: 4,
    service: 'telephony',
    event: 'SipTrunkCreated',
    isMarked: true,
    make(_, nickname) {
      const body = sipTrunkBody({ nickname });
      return post('phone-numbers/sip-trunks', body, body.phone_number);
    },
  },
  {
    name: 'make-call',
    weight: 4,
    service: 'telephony',
    event: 'CallRequested',
    isMarked: false,
    make({ callingAssistantId: assistant_id }) {
      const phone_number = freshCustomerNumber();
      return post('make_call', { assistant_id, phone_number }, phone_number);
    },
  },
  {
    name: 'create-automation',
    weight: 8,
    service: 'automations',
    event: 'AutomationCreated',
    isMarked: true,
    make: (_, name) => post('automate/flows', { name, flow: mapFlow() }),
  },
  {
    name: 'create-api-key',
    weight: 6,
    service: 'accounts',
    event: 'ApiKeyCreated',
    isMarked: true,
    make: (_, name) => post('api-keys', { name }),
  },
];

const totalWeight = commandKinds.reduce((sum, { weight }) => sum + weight, 0);

export function chooseKind(random: () => number): CommandKind {
  let left = random() * totalWeight;
  for (const kind of commandKinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  throw new Error('The weights do not add up.');
}

const markerPrefix = 'marker-';
export const newMarker = (): string => `${markerPrefix}${randomUUID()}`;
/** In Postgres' syntax. */
export const markerPattern = `${markerPrefix}[0-9a-f-]{36}`;

export const kindNames = commandKinds.map(({ name }) => name);
