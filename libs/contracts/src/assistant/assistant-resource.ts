import { z } from 'zod';
import { assistantSettings } from './assistant-settings.ts';

const timestamp = z.iso.datetime();
const unset = z.int().nullable().describe('Not set here.');
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
    user_id: z.int().describe('The account.'),
    phone_number_id,
    engine_id: unset,
    synthesizer_id: unset,
    transcriber_id: unset,
    voice_id,
    instance_id: z.int().describe('Of the installation.'),
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
    language: z.string().nullable().describe('Not set here: `language_id` says it.'),
    language_id,
    type,
    status: z
      .enum(['active', 'inactive'])
      .describe(
        'For your own order: an inactive assistant takes and makes calls, and answers chats, all the same.',
      ),
    flows_platform_id: unset,
    deleted_at: timestamp.nullable().describe('Not set here: what is deleted is not found.'),
    transcriber_provider_id: unset,
    synthesizer_provider_id: unset,
    ...otherSettings,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Assistant' });
