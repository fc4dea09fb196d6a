import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const sender = { service: 'messaging', category: 'sender', version: 1 } as const;
const template = { service: 'messaging', category: 'template', version: 1 } as const;

const status = z.enum(['online', 'offline']);
const rating = z.enum(['GREEN', 'YELLOW', 'RED']);

export const SenderConnected = defineEvent({
  ...sender,
  type: 'SenderConnected',
  summary: 'A business number of the chat platform was connected as a sender.',
  data: z.object({
    sender_id: z.int(),
    phone_number: z.string(),
    display_name: z.string(),
    assistant_id: z.int().nullable(),
    phone_number_id: z
      .string()
      .describe("The chat platform's ids of the number and of the account it belongs to."),
    platform_account_id: z.string(),
    status,
    quality_rating: rating,
    messaging_limit: z.int().nullable(),
    voice_calling_enabled: z.boolean(),
  }),
});

export const SenderRenamed = defineEvent({
  ...sender,
  type: 'SenderRenamed',
  summary: 'The name that recipients see changed.',
  data: z.object({ display_name: z.string() }),
});

export const SenderAssistantChanged = defineEvent({
  ...sender,
  type: 'SenderAssistantChanged',
  summary: 'Another assistant, or none, answers on the sender.',
  data: z.object({ assistant_id: z.int().nullable() }),
});

export const SenderStatusChanged = defineEvent({
  ...sender,
  type: 'SenderStatusChanged',
  summary: 'The chat platform took the sender online or offline.',
  data: z.object({ status }),
});

export const SenderQualityChanged = defineEvent({
  ...sender,
  type: 'SenderQualityChanged',
  summary: 'The chat platform rated the quality of the sender anew.',
  data: z.object({ quality_rating: rating }),
});

export const SenderMessagingLimitChanged = defineEvent({
  ...sender,
  type: 'SenderMessagingLimitChanged',
  summary:
    'The chat platform changed how many recipients the sender may write to in 24 hours; null is unlimited.',
  data: z.object({ messaging_limit: z.int().nullable() }),
});

export const SenderVoiceCallingChanged = defineEvent({
  ...sender,
  type: 'SenderVoiceCallingChanged',
  summary: 'Calling was switched on or off for the sender at the chat platform.',
  data: z.object({ voice_calling_enabled: z.boolean() }),
});

export const SenderDisconnected = defineEvent({
  ...sender,
  type: 'SenderDisconnected',
  summary: 'The sender was taken off; its number can be connected again, as another one.',
  data: z.object({}),
});

const content = {
  category: z.enum(['marketing', 'utility', 'authentication']),
  kind: z.enum(['message', 'voice_call_request']),
  body_text: z.string().describe('Its placeholders shown as `{{1}}`, `{{2}}`, …'),
  format: z.enum(['positional', 'named']),
  placeholders: z
    .array(z.object({ key: z.string(), name: z.string() }))
    .describe(
      "In the order of the body, then those of header and buttons, whose keys have a colon: `key` is the platform's, `name` is for people.",
    ),
};
const templateStatus = z.enum(['approved', 'pending', 'rejected']);

export const TemplateAdded = defineEvent({
  ...template,
  type: 'TemplateAdded',
  summary: 'A template of the sender was found at the chat platform.',
  data: z.object({
    template_id: z.int(),
    sender_id: z.int(),
    platform_template_id: z.string().describe("The chat platform's id."),
    name: z.string(),
    language: z.string(),
    status: templateStatus,
    ...content,
  }),
});

export const TemplateStatusChanged = defineEvent({
  ...template,
  type: 'TemplateStatusChanged',
  summary: 'The chat platform approved a template, rejected it, or looks at it again.',
  data: z.object({ status: templateStatus }),
});

export const TemplateContentChanged = defineEvent({
  ...template,
  type: 'TemplateContentChanged',
  summary: 'A template was edited at the chat platform.',
  data: z.object(content),
});

export const TemplateRemoved = defineEvent({
  ...template,
  type: 'TemplateRemoved',
  summary: 'A template is gone from the chat platform.',
  data: z.object({}),
});

export type SenderEvent = EventOf<
  | typeof SenderConnected
  | typeof SenderRenamed
  | typeof SenderAssistantChanged
  | typeof SenderStatusChanged
  | typeof SenderQualityChanged
  | typeof SenderMessagingLimitChanged
  | typeof SenderVoiceCallingChanged
  | typeof SenderDisconnected
>;
export type TemplateEvent = EventOf<
  typeof TemplateAdded | typeof TemplateStatusChanged | typeof TemplateContentChanged | typeof TemplateRemoved
>;
