import { z } from 'zod';
import { bodyId, textUpTo, writtenUpTo } from '../input/text.ts';
import { timeZone } from '../input/time-zone.ts';
import { variables } from '../input/variables.ts';
import { postCallFieldTypes } from './assistant-settings.ts';

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
    .regex(/^[a-z0-9_]{3,16}$/, { error: 'The :attribute field must be 3 to 16 of a-z, 0-9 and _.' })
    .describe('What webhooks and calls call it.'),
  type: z.enum(postCallFieldTypes).describe('What it is told as.'),
  description: textUpTo(255, 3).describe('What the model looks for.'),
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
  name: writtenUpTo(255).describe('For people.'),
  type: z.enum(['inbound', 'outbound']).describe('Whether it answers calls, or places them.'),
  mode: z
    .enum(['pipeline', 'multimodal'])
    .describe('One model each to hear, think and speak; or one model for all of it.'),
  voice_id: bodyId().describe('The voice it speaks with.'),
  language_id: bodyId().describe('The language it speaks.'),
  timezone: timeZone().describe('IANA name: what it takes for local time.'),
  initial_message: textUpTo(200).describe('What it says first.'),
  system_prompt: textUpTo(50_000).describe(
    'What the language model is told of its task; `{{name}}` stands for a variable, in chats also `{{now}}`, `{{customer_name}}` and `{{customer_phone}}`.',
  ),
};

/** Absent or null means the default. */
const optionalFields = {
  llm_model_id: bodyId().describe('The language model; required in the mode `pipeline`.'),
  multimodal_model_id: bodyId().describe('The model; required in the mode `multimodal`.'),
  max_duration: z.int().min(20).max(1200).describe('When a call is ended at the latest, in seconds.'),
  max_silence_duration: z
    .int()
    .min(1)
    .max(360)
    .describe('After how many seconds of silence it speaks again.'),
  reengagement_interval: z.int().min(7).max(600).describe('Seconds between two such attempts.'),
  llm_temperature: share.describe('How freely the language model chooses its words.'),
  voice_stability: share.describe('How evenly the voice speaks.'),
  voice_similarity: share.describe('How closely the voice keeps to its original.'),
  speech_speed: decimal(0.7, 1.2).describe('1 is as the voice speaks by itself.'),
  ambient_sound: textUpTo(64).describe('The sound in the background.'),
  ambient_sound_volume: share.describe('How loud that is.'),
  endpoint_type: z
    .enum(['vad', 'ai'])
    .describe('What tells that the customer has finished: silence, or a model.'),
  endpoint_sensitivity: sensitivity.describe('How soon the customer counts as finished.'),
  interrupt_sensitivity: sensitivity.describe('How easily the customer interrupts it.'),
  min_interrupt_words: z.int().min(0).max(10).describe('How many words an interruption has at least.'),
  allow_interruptions: z.boolean().describe('Whether the customer can interrupt it.'),
  enable_noise_cancellation: z.boolean().describe("Whether noise on the customer's side is taken out."),
  wait_for_customer: z.boolean().describe('Whether the customer speaks first.'),
  record: z.boolean().describe('Whether calls are recorded.'),
  end_call_on_voicemail: flag.describe('1 ends a call that a mailbox takes.'),
  fillers: flag.describe('1 lets it say a word of `filler_config` while it thinks.'),
  filler_config: z
    .object({
      neutral: phrases.describe('After anything else.'),
      negative: phrases.describe('After bad news.'),
      positive: phrases.describe('After good news.'),
      question: phrases.describe('After a question.'),
    })
    .partial()
    .describe('What it says while it thinks, by what the customer said.'),
  post_call_evaluation: z.boolean().describe('Whether calls are evaluated by `post_call_schema`.'),
  post_call_schema: z
    .array(postCallField)
    .max(50)
    .check(namedOnce)
    .describe('What is drawn from a call when it is over.'),
  tools: z.array(variables()).max(50).describe('What it can do during a call, as the voice agent knows it.'),
  variables: variables('What texts such as `initial_message` are filled with, by name.'),
  widget_settings: z
    .object({
      theme: textUpTo(64).describe('Its theme.'),
      color: textUpTo(64).describe('Its color.'),
      position: textUpTo(64).describe('Where it stands on the page.'),
    })
    .partial()
    .describe('How the widget on a website looks.'),
  knowledgebase_id: bodyId().describe('What it knows.'),
  knowledgebase_mode: z
    .enum(['function_call', 'prompt'])
    .describe('Whether the knowledgebase is asked when need be, or stands in the prompt.'),
  phone_number_id: bodyId().describe('The number that it answers, or that those it calls see.'),
  folder_id: bodyId().describe('The folder it is in.'),
  label_ids: z.array(bodyId()).max(100).describe('Its labels.'),
  is_webhook_active: z.boolean().describe('Whether a webhook is sent after each call.'),
  webhook_url: webhookUrl().describe('Where the webhook after each call goes.'),
  inbound_webhook_url: webhookUrl().describe(
    'Where the webhook about inbound calls goes; null turns it off.',
  ),
  send_webhook_only_on_completed: z
    .boolean()
    .describe('Whether only completed calls have the webhook after the call.'),
  include_recording_in_webhook: z.boolean().describe("Whether webhooks name the recording's URL."),
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
  .extend({
    ...nullish(optionalFields),
    status: z
      .enum(['active', 'inactive'])
      .optional()
      .describe("For the account's own order: an inactive one takes and makes calls all the same."),
  });
export type AssistantChange = z.output<typeof assistantChange>;
