import { z } from 'zod';
import { assistantSettings } from '../assistant/assistant-settings.ts';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';
import { endpointFaults } from '../webhook/webhook-kinds.ts';

const assistant = { service: 'assistants', category: 'assistant', version: 1 } as const;
const nothing = z.object({});
/** Somebody asked for it, or its endpoint was at fault; null when nobody wrote down why (before version 2). */
const reasons = ['request', ...endpointFaults] as const;
const reason = z.enum(reasons).nullable();
const kept_url = {
  /** The URL that is kept for later; null when it is forgotten. */ webhook_url: z.string().nullable(),
};

export const AssistantCreated = defineEvent({
  ...assistant,
  type: 'AssistantCreated',
  summary: 'An assistant was created; it is inactive.',
  data: z.object({ id: z.int(), uuid: z.string(), settings: assistantSettings }),
});
export const AssistantRenamed = defineEvent({
  ...assistant,
  type: 'AssistantRenamed',
  summary: 'An assistant got another name.',
  data: z.object({ name: z.string() }),
});
/** What has no event of its own. */
export const AssistantSettingsChanged = defineEvent({
  ...assistant,
  type: 'AssistantSettingsChanged',
  summary: 'Settings of an assistant were changed.',
  data: z.object({
    changed: assistantSettings
      .omit({ name: true, folder_id: true, label_ids: true, knowledgebase_id: true, phone_number_id: true })
      .partial(),
  }),
});
export const AssistantActivated = defineEvent({
  ...assistant,
  type: 'AssistantActivated',
  summary: 'An assistant was switched on.',
  data: nothing,
});
export const AssistantDeactivated = defineEvent({
  ...assistant,
  type: 'AssistantDeactivated',
  summary: 'An assistant was switched off.',
  data: nothing,
});
export const AssistantMovedToFolder = defineEvent({
  ...assistant,
  type: 'AssistantMovedToFolder',
  summary: 'An assistant was put into a folder, or taken out of it.',
  data: z.object({ folder_id: z.int().nullable() }),
});
export const AssistantLabelled = defineEvent({
  ...assistant,
  type: 'AssistantLabelled',
  summary: 'An assistant got other labels; these are all it has.',
  data: z.object({ label_ids: z.array(z.int()) }),
});
export const AssistantKnowledgebaseChanged = defineEvent({
  ...assistant,
  type: 'AssistantKnowledgebaseChanged',
  summary: 'An assistant got another knowledgebase, or none.',
  data: z.object({ knowledgebase_id: z.int().nullable() }),
});
export const AssistantNumberChanged = defineEvent({
  ...assistant,
  type: 'AssistantNumberChanged',
  summary: 'An assistant got another phone number, or none.',
  data: z.object({ phone_number_id: z.int().nullable() }),
});
export const WebhookEnabled = defineEvent({
  ...assistant,
  type: 'WebhookEnabled',
  summary: 'The webhook after calls was turned on, or got another URL.',
  data: z.object({ webhook_url: z.string() }),
});
export const WebhookDisabled = defineEvent({
  ...assistant,
  type: 'WebhookDisabled',
  version: 3,
  summary: 'The webhook after calls was turned off.',
  data: z.object({
    ...kept_url,
    reason: z
      .enum([...reasons, 'released'])
      .nullable()
      .describe(
        '`released`: it went to an automation that hears of these calls no more (before version 3: `request`).',
      ),
  }),
  earlier: [
    earlierVersion(z.object(kept_url), (data) => ({ ...data, reason: null })),
    earlierVersion(z.object({ ...kept_url, reason }), (data) => data),
  ],
});
export const InboundWebhookEnabled = defineEvent({
  ...assistant,
  type: 'InboundWebhookEnabled',
  summary: 'The webhook for inbound calls was turned on, or got another URL.',
  data: z.object({ inbound_webhook_url: z.string() }),
});
export const InboundWebhookDisabled = defineEvent({
  ...assistant,
  type: 'InboundWebhookDisabled',
  version: 2,
  summary: 'The webhook for inbound calls was turned off and its URL forgotten.',
  data: z.object({ reason }),
  earlier: [earlierVersion(nothing, () => ({ reason: null }))],
});
export const AssistantDeleted = defineEvent({
  ...assistant,
  type: 'AssistantDeleted',
  summary: 'An assistant was deleted; its history stays.',
  data: z.object({ deleted_at: z.string() }),
});

export type AssistantEvent = EventOf<
  | typeof AssistantCreated
  | typeof AssistantRenamed
  | typeof AssistantSettingsChanged
  | typeof AssistantActivated
  | typeof AssistantDeactivated
  | typeof AssistantMovedToFolder
  | typeof AssistantLabelled
  | typeof AssistantKnowledgebaseChanged
  | typeof AssistantNumberChanged
  | typeof WebhookEnabled
  | typeof WebhookDisabled
  | typeof InboundWebhookEnabled
  | typeof InboundWebhookDisabled
  | typeof AssistantDeleted
>;
