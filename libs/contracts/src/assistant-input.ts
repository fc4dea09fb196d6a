import { z } from 'zod';
import { postCallFieldTypes } from './assistant-settings.ts';
import { bodyId, textUpTo } from './text.ts';
import { timeZone } from './time-zone.ts';
import { variables } from './variables.ts';

/** What may be sent to make or change an assistant, with its limits (decisions, section 3). Lengths in characters. */

const flag = z.literal([0, 1]);

const decimalText = /^\d{1,4}(\.\d{1,6})?$/;

/** The API shows these numbers as strings of two decimals: what was read may be sent back as it is. */
const decimal = (min: number, max: number) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && decimalText.test(value) ? Number(value) : value),
      z.number().min(min).max(max),
    )
    .meta({ type: ['number', 'string'], pattern: decimalText.source });
const share = decimal(0, 1);
const sensitivity = z.number().min(0).max(5);
const phrases = z.array(textUpTo(255)).max(50);
/** What else is asked of a URL depends on the installation and is checked by the service. */
export const webhookUrl = () => textUpTo(2048).meta({ format: 'uri' });

const postCallField = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9_]{3,16}$/, { error: 'The :attribute field must be 3 to 16 of a-z, 0-9 and _.' }),
  type: z.enum(postCallFieldTypes),
  description: textUpTo(255, 3),
});

/** What is extracted is told by name. */
function namedOnce({ value, issues }: z.core.ParsePayload<z.output<typeof postCallField>[]>): void {
  const names = value.map(({ name }) => name);
  names.forEach((name, index) => {
    if (names.indexOf(name) === index) return;
    const message = 'The :attribute field has a duplicate value.';
    issues.push({ code: 'custom', input: name, path: [index, 'name'], message });
  });
}

/** Needed on creation. */
const requiredFields = {
  name: textUpTo(255),
  type: z.enum(['inbound', 'outbound']),
  mode: z.enum(['pipeline', 'multimodal']),
  voice_id: bodyId(),
  language_id: bodyId(),
  timezone: timeZone(),
  initial_message: textUpTo(200),
  system_prompt: textUpTo(50_000),
};

/** Absent or null means the default. */
const optionalFields = {
  llm_model_id: bodyId(),
  multimodal_model_id: bodyId(),
  max_duration: z.int().min(20).max(1200).describe('Seconds.'),
  max_silence_duration: z.int().min(1).max(360).describe('Seconds.'),
  reengagement_interval: z.int().min(7).max(600).describe('Seconds.'),
  llm_temperature: share,
  voice_stability: share,
  voice_similarity: share,
  speech_speed: decimal(0.7, 1.2),
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
  post_call_schema: z.array(postCallField).max(50).check(namedOnce),
  tools: z.array(variables()).max(50),
  variables: variables(),
  widget_settings: z.object({ theme: textUpTo(64), color: textUpTo(64), position: textUpTo(64) }).partial(),
  knowledgebase_id: bodyId(),
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  phone_number_id: bodyId(),
  folder_id: bodyId(),
  label_ids: z.array(bodyId()).max(100),
  is_webhook_active: z.boolean(),
  webhook_url: webhookUrl(),
  inbound_webhook_url: webhookUrl(),
  send_webhook_only_on_completed: z.boolean(),
  include_recording_in_webhook: z.boolean(),
};

type NullishShape<S extends z.ZodRawShape> = { [K in keyof S]: z.ZodOptional<z.ZodNullable<S[K]>> };

/** The same fields, each of which may be absent or null. */
const nullish = <S extends Record<string, z.ZodType>>(shape: S): NullishShape<S> =>
  // Object.fromEntries forgets which key has which type; the mapping keeps both.
  Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.nullish()])) as NullishShape<S>;

export const assistantCreation = z.object({ ...requiredFields, ...nullish(optionalFields) });
export type AssistantCreation = z.output<typeof assistantCreation>;

/** Only the fields sent are changed; `null` restores the default. */
export const assistantChange = z
  .object(requiredFields)
  .partial()
  .extend({ ...nullish(optionalFields), status: z.enum(['active', 'inactive']).optional() });
export type AssistantChange = z.output<typeof assistantChange>;
