/** One column per field of the resource, as a competent user lays out such a table; `numeric` comes as text from pg. */
export const assistantsSchema = `
  create table if not exists api_keys (
    token_sha256 text primary key,
    account_id int not null,
    expires_at timestamptz
  );
  create table if not exists assistants (
    id int primary key, uuid uuid not null, user_id int not null, phone_number_id int, engine_id int,
    synthesizer_id int, transcriber_id int, voice_id int not null, instance_id int not null, name text not null,
    variables jsonb not null, post_call_evaluation bool not null, post_call_schema jsonb not null,
    fillers int not null, filler_config jsonb not null, tools jsonb not null, is_webhook_active bool not null,
    webhook_url text, inbound_webhook_url text, send_webhook_only_on_completed bool not null,
    include_recording_in_webhook bool not null, language text, language_id int not null, type text not null,
    status text not null, flows_platform_id int, deleted_at timestamptz, transcriber_provider_id int,
    synthesizer_provider_id int, mode text not null, timezone text not null, initial_message text not null,
    system_prompt text not null, llm_model_id int, multimodal_model_id int, max_duration int not null,
    max_silence_duration int not null, reengagement_interval int not null, llm_temperature numeric(4, 2) not null,
    voice_stability numeric(4, 2) not null, voice_similarity numeric(4, 2) not null,
    speech_speed numeric(4, 2) not null, ambient_sound text not null, ambient_sound_volume numeric(4, 2) not null,
    endpoint_type text not null, endpoint_sensitivity float8 not null, interrupt_sensitivity float8 not null,
    min_interrupt_words int not null, allow_interruptions bool not null, enable_noise_cancellation bool not null,
    wait_for_customer bool not null, record bool not null, end_call_on_voicemail int not null,
    widget_settings jsonb not null, knowledgebase_id int, knowledgebase_mode text not null, folder_id int,
    label_ids jsonb not null, created_at timestamptz not null, updated_at timestamptz not null
  );
  create index if not exists assistants_by_user on assistants (user_id, id desc);
`;
