import { z } from 'zod';
import { bodyId, textUpTo } from './text.ts';

/** What an assistant is made of (decisions, section 3). Durations in seconds, lengths in characters. */

const flag = z.union([z.literal(0), z.literal(1)]);
const share = z.number().min(0).max(1);
const sensitivity = z.number().min(0).max(5);
const jsonObject = z.record(textUpTo(255), z.json());
const phrases = z.array(textUpTo(255)).max(50);
const webhookUrl = textUpTo(2048);

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

export const postCallField = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9_]{3,16}$/, { error: 'The :attribute field must be 3 to 16 of a-z, 0-9 and _.' }),
  type: z.enum(['string', 'number', 'bool']),
  description: textUpTo(255, 3),
});

/** Needed on creation. */
export const requiredSettings = z.object({
  name: textUpTo(255),
  type: z.enum(['inbound', 'outbound']),
  mode: z.enum(['pipeline', 'multimodal']),
  voice_id: bodyId(),
  language_id: bodyId(),
  timezone: textUpTo(64).refine(isTimeZone, { error: 'The :attribute field must be an IANA time zone.' }),
  initial_message: textUpTo(200),
  system_prompt: textUpTo(50_000),
});

/** Absent or null means the default. */
export const optionalFields = {
  llm_model_id: bodyId(),
  multimodal_model_id: bodyId(),
  max_duration: z.int().min(20).max(1200),
  max_silence_duration: z.int().min(1).max(360),
  reengagement_interval: z.int().min(7).max(600),
  llm_temperature: share,
  voice_stability: share,
  voice_similarity: share,
  speech_speed: z.number().min(0.7).max(1.2),
  ambient_sound: textUpTo(64),
  ambient_sound_volume: share,
  endpoint_type: z.enum(['vad', 'ai']),
  endpoint_sensitivity: sensitivity,
  interrupt_sensitivity: sensitivity,
  min_interrupt_words: z.int().min(0).max(10),
  allow_interruptions: z.boolean(),
  enable_noise_cancellation: z.boolean(),
  wait_for_customer: z.boolean(),
  record: z.boolean(),
  end_call_on_voicemail: flag,
  fillers: flag,
  filler_config: z
    .object({ neutral: phrases, negative: phrases, positive: phrases, question: phrases })
    .partial(),
  post_call_evaluation: z.boolean(),
  post_call_schema: z.array(postCallField).max(50),
  tools: z.array(jsonObject).max(50),
  variables: jsonObject,
  widget_settings: z.object({ theme: textUpTo(64), color: textUpTo(64), position: textUpTo(64) }).partial(),
  knowledgebase_id: bodyId(),
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  phone_number_id: bodyId(),
  folder_id: bodyId(),
  label_ids: z.array(bodyId()).max(100),
  is_webhook_active: z.boolean(),
  webhook_url: webhookUrl,
  inbound_webhook_url: webhookUrl,
  send_webhook_only_on_completed: z.boolean(),
  include_recording_in_webhook: z.boolean(),
};

type NullishShape<S extends z.ZodRawShape> = { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> };

/** The same fields, each of which may be absent or null. */
const nullish = <S extends Record<string, z.ZodType>>(shape: S): NullishShape<S> =>
  // Object.fromEntries forgets which key has which type; the mapping keeps both.
  Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.nullish()])) as NullishShape<S>;

export const assistantCreation = requiredSettings.extend(nullish(optionalFields));

/** Only the fields sent are changed; `null` restores the default; `label_ids` and `tools` replace what was there. */
export const assistantChange = requiredSettings
  .partial()
  .extend(nullish(optionalFields))
  .extend({ status: z.enum(['active', 'inactive']).optional() });
