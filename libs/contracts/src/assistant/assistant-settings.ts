import { z } from 'zod';

/** A numeric value carried as a string of two decimals (service-api, section 2). */
const twoDecimals = z.string().regex(/^\d+\.\d\d$/);
const flag = z.literal([0, 1]);
const nullableId = z.int().nullable();
const phrases = z.array(z.string());

/** What is drawn from a call when it is over. */
export const postCallFieldTypes = ['string', 'number', 'bool'] as const;

/**
 * Everything an account decides about an assistant, in the form in which the API shows it and events keep it
 * (service-api, section 2). Durations in seconds.
 */
export const assistantSettings = z.object({
  name: z.string(),
  type: z.enum(['inbound', 'outbound']),
  mode: z.enum(['pipeline', 'multimodal']),
  voice_id: z.int(),
  language_id: z.int(),
  timezone: z.string(),
  initial_message: z.string(),
  system_prompt: z.string(),
  llm_model_id: nullableId,
  multimodal_model_id: nullableId,
  max_duration: z.int().describe('Seconds.'),
  max_silence_duration: z.int().describe('Seconds.'),
  reengagement_interval: z.int().describe('Seconds.'),
  llm_temperature: twoDecimals,
  voice_stability: twoDecimals,
  voice_similarity: twoDecimals,
  speech_speed: twoDecimals,
  ambient_sound: z.string(),
  ambient_sound_volume: twoDecimals,
  endpoint_type: z.enum(['vad', 'ai']),
  endpoint_sensitivity: z.number(),
  interrupt_sensitivity: z.number(),
  min_interrupt_words: z.int(),
  allow_interruptions: z.boolean(),
  enable_noise_cancellation: z.boolean(),
  wait_for_customer: z.boolean(),
  record: z.boolean(),
  end_call_on_voicemail: flag,
  fillers: flag,
  filler_config: z.object({ neutral: phrases, negative: phrases, positive: phrases, question: phrases }),
  post_call_evaluation: z.boolean(),
  post_call_schema: z.array(
    z.object({ name: z.string(), type: z.enum(postCallFieldTypes), description: z.string() }),
  ),
  tools: z.array(z.record(z.string(), z.json())),
  variables: z.record(z.string(), z.json()),
  widget_settings: z.object({ theme: z.string(), color: z.string(), position: z.string() }),
  knowledgebase_id: nullableId,
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  phone_number_id: nullableId,
  folder_id: nullableId,
  label_ids: z.array(z.int()),
  is_webhook_active: z.boolean(),
  webhook_url: z.string().nullable(),
  inbound_webhook_url: z.string().nullable(),
  send_webhook_only_on_completed: z.boolean(),
  include_recording_in_webhook: z.boolean(),
});
export type AssistantSettings = z.output<typeof assistantSettings>;
