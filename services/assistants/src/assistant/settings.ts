import type { AssistantChange, AssistantCreation, AssistantSettings } from '@parley/contracts';

type Required = 'name' | 'type' | 'mode' | 'voice_id' | 'language_id' | 'timezone' | 'initial_message';
type OptionalSettings = Omit<AssistantSettings, Required | 'system_prompt'>;

/** The values of optional settings until others are given, and again after `null` (decisions, section 3). */
const defaultSettings: OptionalSettings = {
  llm_model_id: null,
  multimodal_model_id: null,
  max_duration: 600,
  max_silence_duration: 40,
  reengagement_interval: 30,
  llm_temperature: '0.10',
  voice_stability: '0.70',
  voice_similarity: '0.50',
  speech_speed: '1.00',
  ambient_sound: 'off',
  ambient_sound_volume: '0.50',
  endpoint_type: 'vad',
  endpoint_sensitivity: 0.5,
  interrupt_sensitivity: 0.5,
  min_interrupt_words: 0,
  allow_interruptions: true,
  enable_noise_cancellation: true,
  wait_for_customer: false,
  record: false,
  end_call_on_voicemail: 1,
  fillers: 0,
  filler_config: { neutral: [], negative: [], positive: [], question: [] },
  post_call_evaluation: false,
  post_call_schema: [],
  tools: [],
  variables: {},
  widget_settings: { theme: 'light', color: '#2563eb', position: 'bottom-right' },
  knowledgebase_id: null,
  knowledgebase_mode: 'function_call',
  phone_number_id: null,
  folder_id: null,
  label_ids: [],
  is_webhook_active: false,
  webhook_url: null,
  inbound_webhook_url: null,
  send_webhook_only_on_completed: false,
  include_recording_in_webhook: false,
};

/** The settings of a new assistant: what was sent, and defaults for the rest. */
export const settingsOf = (input: AssistantCreation): AssistantSettings => {
  const { name, type, mode, voice_id, language_id, timezone, initial_message, system_prompt } = input;
  const required = { name, type, mode, voice_id, language_id, timezone, initial_message, system_prompt };
  return changed({ ...defaultSettings, ...required }, input);
};

/**
 * `present` with the change that was sent: an absent field stays, `null` restores the default. Of objects with fixed
 * keys, only the keys that were sent change.
 */
export const changed = <T extends AssistantSettings>(present: T, input: AssistantChange): T => ({
  ...present,
  ...given(storedForm(present, input)),
});

/** Without the fields that were not sent. */
const given = (sent: object): object =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));

type Sent = { readonly [K in keyof AssistantSettings]?: AssistantSettings[K] | undefined };

function storedForm(present: AssistantSettings, input: AssistantChange): Sent {
  const { llm_temperature, voice_stability, voice_similarity, speech_speed, ambient_sound_volume } = input;
  const { widget_settings, filler_config, label_ids, status: _status, ...rest } = input;
  const asSent = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, value === null ? defaultOf(key) : value]),
  );
  return {
    ...asSent,
    llm_temperature: decimal('llm_temperature', llm_temperature),
    voice_stability: decimal('voice_stability', voice_stability),
    voice_similarity: decimal('voice_similarity', voice_similarity),
    speech_speed: decimal('speech_speed', speech_speed),
    ambient_sound_volume: decimal('ambient_sound_volume', ambient_sound_volume),
    widget_settings: merged(defaultSettings.widget_settings, present.widget_settings, widget_settings),
    filler_config: merged(defaultSettings.filler_config, present.filler_config, filler_config),
    label_ids: label_ids === undefined ? undefined : [...new Set(label_ids ?? [])],
  };
}

const defaultOf = (key: string): unknown => Reflect.get(defaultSettings, key);

type DecimalSetting =
  | 'llm_temperature'
  | 'voice_stability'
  | 'voice_similarity'
  | 'speech_speed'
  | 'ambient_sound_volume';

/** Such settings are stored as they are shown: as texts with two decimals. */
function decimal(key: DecimalSetting, value: number | null | undefined): string | undefined {
  return value === null ? defaultSettings[key] : value?.toFixed(2);
}

function merged<T extends object>(
  fallback: T,
  present: T,
  sent: { readonly [K in keyof T]?: T[K] | undefined } | null | undefined,
): T | undefined {
  if (sent === undefined) return undefined;
  return sent === null ? fallback : { ...present, ...given(sent) };
}
