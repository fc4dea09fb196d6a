import { z } from 'zod';
import { assistantChange, assistantCreation, webhookUrl } from '../assistant/assistant-input.ts';
import { assistantResource } from '../assistant/assistant-resource.ts';
import { asOf, bodyId, pageNumber, pathId, perPage } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const assistants = {
  service: 'assistants',
  tag: 'Assistants',
  errorShape: 'message',
} as const;
const oneAssistant = { ...assistants, notFoundMessage: 'Assistant not found' } as const;

const id = z.object({ id: pathId().describe('Of the assistant.') });
const assistantId = z.object({ assistant_id: bodyId().describe('Whose webhook it is.') });
const summary = assistantResource
  .pick({
    id: true,
    uuid: true,
    name: true,
    status: true,
    type: true,
    mode: true,
  })
  .meta({ id: 'AssistantSummary' });
const summaryAnswer = z.object({ message: z.string(), data: summary });
/** The specification's empty array. */
const done = z.object({ message: z.string(), data: z.array(z.never()).length(0) });

export const createAssistant = defineOperation({
  ...assistants,
  name: 'create-assistant',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistant',
  summary: 'Create an assistant; it starts inactive',
  description:
    '`llm_model_id` is required when `mode` is pipeline, `multimodal_model_id` when it is multimodal, `webhook_url` when `is_webhook_active` is true. Folder, labels, knowledgebase and phone number must be your own.',
  body: assistantCreation,
  example: {
    name: 'Appointments',
    type: 'inbound',
    mode: 'pipeline',
    llm_model_id: 1,
    voice_id: 1,
    language_id: 1,
    timezone: 'Europe/London',
    initial_message: 'Hello, this is the surgery. How can I help you?',
    system_prompt: 'You make appointments for a surgery that is open on weekdays from 9 to 17.',
  },
  success: { status: 201, schema: summaryAnswer },
});

export const updateAssistant = defineOperation({
  ...oneAssistant,
  name: 'update-assistant',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/assistant/{id}',
  summary: 'Change an assistant',
  description:
    'Only the fields sent are changed, `null` restores the default. `label_ids`, `tools` and `variables` replace what was there; of `widget_settings` and `filler_config` only the keys sent are changed.',
  params: id,
  body: assistantChange,
  example: { id: 1, initial_message: 'Hello {{name}}, is this a good moment?' },
  success: { status: 200, schema: summaryAnswer },
});

export const getAssistant = defineOperation({
  ...oneAssistant,
  name: 'get-assistant',
  kind: 'query',
  method: 'GET',
  path: '/api/user/assistant/{id}',
  summary: 'One assistant',
  description: 'With `as_of` (a timestamp or a position) as it was at that moment.',
  params: id,
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: assistantResource }) },
});

export const deleteAssistant = defineOperation({
  ...oneAssistant,
  name: 'delete-assistant',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/assistant/{id}',
  summary: 'Delete an assistant; its history stays',
  description:
    'Senders that it answered for have nobody from then on, and its phone number is free for another one.',
  params: id,
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

const url = z.string();
export const listAssistants = defineOperation({
  ...assistants,
  name: 'list-assistants',
  kind: 'query',
  method: 'GET',
  path: '/api/user/assistants/get',
  summary: 'List assistants, newest first',
  description: 'With links to the other pages.',
  query: z.object({ page: pageNumber(), per_page: perPage(10) }),
  success: {
    status: 200,
    schema: z.object({
      current_page: z.int(),
      data: z.array(assistantResource),
      first_page_url: url,
      from: z.int().nullable(),
      last_page: z.int(),
      last_page_url: url,
      links: z.array(z.object({ url: url.nullable(), label: z.string(), active: z.boolean() })),
      next_page_url: url.nullable(),
      path: url,
      per_page: z.int(),
      prev_page_url: url.nullable(),
      to: z.int().nullable(),
      total: z.int(),
    }),
  },
});

const withUrl = assistantId.extend({ webhook_url: webhookUrl().describe('Where it is sent, by POST.') });

export const enableWebhook = defineOperation({
  ...oneAssistant,
  name: 'enable-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/enable-webhook',
  summary: 'Send a webhook after each call',
  description:
    'Sent when a call is over, signed as `GET /api/user/webhook-secret` says, and tried again until it is taken.',
  body: withUrl,
  example: { assistant_id: 1, webhook_url: 'https://example.com/calls' },
  success: { status: 200, schema: done },
});

export const disableWebhook = defineOperation({
  ...oneAssistant,
  name: 'disable-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/disable-webhook',
  summary: 'Stop the webhook after calls and forget its URL',
  description:
    'Deliveries stop at once; ongoing calls, call data, recording and data collection are unaffected.',
  body: assistantId,
  example: { assistant_id: 1 },
  success: { status: 200, schema: done },
});

export const enableInboundWebhook = defineOperation({
  ...oneAssistant,
  name: 'enable-inbound-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/enable-inbound-webhook',
  summary: 'Send a webhook for inbound calls',
  description:
    'Sent when an inbound call is over, signed as `GET /api/user/webhook-secret` says, and tried again until it is taken.',
  body: withUrl,
  example: { assistant_id: 2, webhook_url: 'https://example.com/inbound-calls' },
  success: { status: 200, schema: done },
});

export const disableInboundWebhook = defineOperation({
  ...oneAssistant,
  name: 'disable-inbound-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/disable-inbound-webhook',
  summary: 'Stop the webhook for inbound calls and forget its URL',
  description: 'Deliveries stop at once; calls and their data are unaffected.',
  body: assistantId,
  example: { assistant_id: 2 },
  success: { status: 200, schema: done },
});
