import { z } from 'zod';
import { assistantSettings } from './assistant-settings.ts';

const timestamp = z.iso.datetime();
const nullableId = z.int().nullable();
const {
  phone_number_id,
  voice_id,
  name,
  variables,
  post_call_evaluation,
  post_call_schema,
  fillers,
  filler_config,
  tools,
  is_webhook_active,
  webhook_url,
  inbound_webhook_url,
  send_webhook_only_on_completed,
  include_recording_in_webhook,
  language_id,
  type,
  ...otherSettings
} = assistantSettings.shape;

/** The Assistant resource (service-api, section 2), with the folder and labels it is in. Views render it in this order. */
export const assistantResource = z
  .object({
    id: z.int(),
    uuid: z.uuid(),
    user_id: z.int(),
    phone_number_id,
    engine_id: nullableId,
    synthesizer_id: nullableId,
    transcriber_id: nullableId,
    voice_id,
    instance_id: z.int(),
    name,
    variables,
    post_call_evaluation,
    post_call_schema,
    fillers,
    filler_config,
    tools,
    is_webhook_active,
    webhook_url,
    inbound_webhook_url,
    send_webhook_only_on_completed,
    include_recording_in_webhook,
    language: z.string().nullable(),
    language_id,
    type,
    status: z
      .enum(['active', 'inactive'])
      .describe(
        'For your own order: an inactive assistant takes and makes calls, and answers chats, all the same.',
      ),
    flows_platform_id: nullableId,
    deleted_at: timestamp.nullable(),
    transcriber_provider_id: nullableId,
    synthesizer_provider_id: nullableId,
    ...otherSettings,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Assistant' });
