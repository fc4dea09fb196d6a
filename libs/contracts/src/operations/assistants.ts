import { z } from 'zod';
import { assistantChange, assistantCreation, postCallField } from '../assistant-settings.ts';
import { defineOperation } from '../operation.ts';
import { bodyId, pageParameter, pathId, textUpTo } from '../text.ts';

const assistants = {
  service: 'assistants',
  tag: 'Assistants',
  errorShape: 'message',
  notFoundMessage: 'Assistant not found',
} as const;

const id = z.object({ id: pathId() });
const assistantId = z.object({ assistant_id: bodyId() });
const numeric = z.string().regex(/^\d+(\.\d+)?$/);
const timestamp = z.iso.datetime();
const flag = z.union([z.literal(0), z.literal(1)]);
const nullableId = z.int().nullable();
const words = z.array(z.string());

/** The Assistant resource (service-api, section 2), with the folder and labels it is in. */
export const assistantResource = z.object({
  id: z.int(),
  uuid: z.uuid(),
  user_id: z.int(),
  phone_number_id: nullableId,
  engine_id: nullableId,
  synthesizer_id: nullableId,
  transcriber_id: nullableId,
  voice_id: z.int(),
  instance_id: z.int(),
  name: z.string(),
  variables: z.record(z.string(), z.json()),
  post_call_evaluation: z.boolean(),
  post_call_schema: z.array(postCallField),
  fillers: flag,
  filler_config: z.object({ neutral: words, negative: words, positive: words, question: words }),
  tools: z.array(z.json()),
  is_webhook_active: z.boolean(),
  webhook_url: z.string().nullable(),
  inbound_webhook_url: z.string().nullable(),
  send_webhook_only_on_completed: z.boolean(),
  include_recording_in_webhook: z.boolean(),
  language: z.string().nullable(),
  language_id: z.int(),
  type: z.enum(['inbound', 'outbound']),
  status: z.enum(['active', 'inactive']),
  max_duration: z.int(),
  record: z.boolean(),
  initial_message: z.string(),
  system_prompt: z.string(),
  flows_platform_id: nullableId,
  timezone: z.string(),
  max_silence_duration: z.int(),
  reengagement_interval: z.int(),
  deleted_at: timestamp.nullable(),
  end_call_on_voicemail: flag,
  llm_temperature: numeric,
  voice_stability: numeric,
  voice_similarity: numeric,
  speech_speed: numeric,
  ambient_sound_volume: numeric,
  allow_interruptions: z.boolean(),
  enable_noise_cancellation: z.boolean(),
  endpoint_sensitivity: z.number(),
  interrupt_sensitivity: z.number(),
  endpoint_type: z.enum(['vad', 'ai']),
  wait_for_customer: z.boolean(),
  mode: z.enum(['pipeline', 'multimodal']),
  transcriber_provider_id: nullableId,
  synthesizer_provider_id: nullableId,
  llm_model_id: nullableId,
  multimodal_model_id: nullableId,
  ambient_sound: z.string(),
  knowledgebase_id: nullableId,
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  min_interrupt_words: z.int(),
  widget_settings: z.object({ theme: z.string(), color: z.string(), position: z.string() }),
  folder_id: nullableId,
  label_ids: z.array(z.int()),
  created_at: timestamp,
  updated_at: timestamp,
});

const summary = assistantResource.pick({
  id: true,
  uuid: true,
  name: true,
  status: true,
  type: true,
  mode: true,
});
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
  body: assistantCreation,
  success: { status: 201, schema: summaryAnswer },
});

export const updateAssistant = defineOperation({
  ...assistants,
  name: 'update-assistant',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/assistant/{id}',
  summary: 'Change an assistant',
  description:
    'Only the fields sent are changed; `null` restores the default; `label_ids` and `tools` replace.',
  params: id,
  body: assistantChange,
  success: { status: 200, schema: summaryAnswer },
});

export const getAssistant = defineOperation({
  ...assistants,
  name: 'get-assistant',
  kind: 'query',
  method: 'GET',
  path: '/api/user/assistant/{id}',
  summary: 'One assistant',
  params: id,
  success: { status: 200, schema: z.object({ data: assistantResource }) },
});

export const deleteAssistant = defineOperation({
  ...assistants,
  name: 'delete-assistant',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/assistant/{id}',
  summary: 'Delete an assistant; its history stays',
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
  query: z.object({ page: pageParameter(1, 1, 1_000_000), per_page: pageParameter(10, 1, 100) }),
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

const withUrl = assistantId.extend({ webhook_url: textUpTo(2048) });

export const enableWebhook = defineOperation({
  ...assistants,
  name: 'enable-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/enable-webhook',
  summary: 'Send a webhook after each call',
  body: withUrl,
  success: { status: 200, schema: done },
});

export const disableWebhook = defineOperation({
  ...assistants,
  name: 'disable-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/disable-webhook',
  summary: 'Stop the webhook after calls and forget its URL',
  description:
    'Deliveries stop at once; ongoing calls, call data, recording and data collection are unaffected.',
  body: assistantId,
  success: { status: 200, schema: done },
});

export const enableInboundWebhook = defineOperation({
  ...assistants,
  name: 'enable-inbound-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/enable-inbound-webhook',
  summary: 'Send a webhook for inbound calls',
  body: withUrl,
  success: { status: 200, schema: done },
});

export const disableInboundWebhook = defineOperation({
  ...assistants,
  name: 'disable-inbound-webhook',
  kind: 'command',
  method: 'POST',
  path: '/api/user/assistants/disable-inbound-webhook',
  summary: 'Stop the webhook for inbound calls and forget its URL',
  body: assistantId,
  success: { status: 200, schema: done },
});
