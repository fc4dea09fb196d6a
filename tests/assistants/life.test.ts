import {
  assistantResource,
  createAssistant as creation,
  getAssistant as reading,
  updateAssistant as update,
} from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { assistantBody, createAssistant, getAssistant } from '../support/assistants.ts';
import { readRows } from '../support/database.ts';

const notFound = { message: 'Assistant not found' };

test('an assistant is created inactive, with a small answer and every field of the resource', async () => {
  const account = await freshAccount();
  const [api, other] = accountApis(account);
  const answer = await api.post('/api/user/assistant', assistantBody({ name: 'Büro 🏢' }));
  expect(answer.status).toBe(201);
  creation.success.schema.parse(answer.body);
  const { id, uuid } = (answer.body as { data: { id: number; uuid: string } }).data;
  expect(answer.body).toEqual({
    message: 'Assistant created successfully',
    data: { id, uuid, name: 'Büro 🏢', status: 'inactive', type: 'outbound', mode: 'pipeline' },
  });
  const read = await other.get(`/api/user/assistant/${id}`);
  reading.success.schema.parse(read.body);
  const { data } = read.body as { data: Record<string, unknown> };
  expect(Object.keys(data)).toEqual(Object.keys(assistantResource.shape));
  expect(data).toMatchObject({
    id,
    uuid,
    user_id: account.id,
    status: 'inactive',
    deleted_at: null,
    max_duration: 600,
    max_silence_duration: 40,
    reengagement_interval: 30,
    llm_temperature: '0.10',
    voice_stability: '0.70',
    voice_similarity: '0.50',
    speech_speed: '1.00',
    endpoint_sensitivity: 0.5,
    interrupt_sensitivity: 0.5,
    endpoint_type: 'vad',
    record: false,
    end_call_on_voicemail: 1,
    is_webhook_active: false,
    webhook_url: null,
    inbound_webhook_url: null,
    phone_number_id: null,
    knowledgebase_id: null,
    folder_id: null,
    label_ids: [],
    tools: [],
    variables: {},
  });
  expect(data.created_at).toBe(data.updated_at);
});

test('everything that may be sent comes back as it was sent', async () => {
  const [api, other] = accountApis(await freshAccount());
  const sent = {
    type: 'inbound',
    mode: 'multimodal',
    llm_model_id: null,
    multimodal_model_id: 4,
    max_duration: 20,
    max_silence_duration: 360,
    reengagement_interval: 7,
    llm_temperature: 0.256,
    voice_stability: 1,
    voice_similarity: 0,
    speech_speed: 0.7,
    ambient_sound: 'café ☕',
    ambient_sound_volume: '0.35',
    endpoint_type: 'ai',
    endpoint_sensitivity: 4.75,
    interrupt_sensitivity: 0,
    min_interrupt_words: 10,
    allow_interruptions: false,
    enable_noise_cancellation: false,
    wait_for_customer: true,
    record: true,
    end_call_on_voicemail: 0,
    fillers: 1,
    filler_config: { neutral: ['Hm'], question: ['Ah?'] },
    post_call_evaluation: true,
    post_call_schema: [{ name: 'wants_demo', type: 'bool', description: 'Wants a demo' }],
    tools: [{ name: 'calendar', parameters: { nested: [1, { a: null }] } }],
    variables: { customer: 'you', constructor: { deep: [true] } },
    widget_settings: { color: '#112233' },
    knowledgebase_mode: 'prompt',
    send_webhook_only_on_completed: true,
    include_recording_in_webhook: true,
    is_webhook_active: true,
    webhook_url: 'https://example.com/hook?a=%20#b',
    inbound_webhook_url: 'http://127.0.0.1:4010/in',
  };
  const id = await createAssistant(api, sent);
  expect(await getAssistant(other, id)).toMatchObject({
    ...sent,
    llm_temperature: '0.26',
    voice_stability: '1.00',
    voice_similarity: '0.00',
    speech_speed: '0.70',
    ambient_sound_volume: '0.35',
    filler_config: { neutral: ['Hm'], negative: [], positive: [], question: ['Ah?'] },
    widget_settings: { theme: 'light', color: '#112233', position: 'bottom-right' },
  });
});

test('what was read can be sent back and changes nothing', async () => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api, { llm_temperature: 0.3, label_ids: [], folder_id: null });
  const { headers, body } = await api.get(`/api/user/assistant/${id}`);
  const answer = await api.put(`/api/user/assistant/${id}`, (body as { data: object }).data);
  expect([answer.status, answer.headers.etag]).toEqual([200, headers.etag]);
});

test('only what is sent is changed, and null restores the default', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api, {
    max_duration: 100,
    llm_temperature: 0.5,
    tools: [{ name: 'one' }, { name: 'two' }],
    variables: { a: 1, b: 2 },
    widget_settings: { theme: 'dark', color: 'red' },
  });
  const before = await getAssistant(other, id);
  const changed = await api.put(`/api/user/assistant/${id}`, {
    name: 'Renamed',
    status: 'active',
    tools: [{ name: 'three' }],
    variables: { c: 3 },
    widget_settings: { color: 'blue' },
  });
  expect(changed.status).toBe(200);
  update.success.schema.parse(changed.body);
  expect(changed.body).toMatchObject({
    message: 'Assistant updated successfully',
    data: { id, name: 'Renamed', status: 'active' },
  });
  const after = await getAssistant(other, id);
  expect(after).toEqual({
    ...before,
    name: 'Renamed',
    status: 'active',
    tools: [{ name: 'three' }],
    variables: { c: 3 },
    widget_settings: { theme: 'dark', color: 'blue', position: 'bottom-right' },
    updated_at: after.updated_at,
  });
  expect(String(after.updated_at) > String(before.updated_at)).toBe(true);
  await api.put(`/api/user/assistant/${id}`, {
    max_duration: null,
    llm_temperature: null,
    tools: null,
    variables: null,
    widget_settings: null,
    filler_config: null,
    label_ids: null,
  });
  expect(await getAssistant(other, id)).toMatchObject({
    max_duration: 600,
    llm_temperature: '0.10',
    tools: [],
    variables: {},
    widget_settings: { theme: 'light', position: 'bottom-right' },
  });
});

test('a deleted assistant is gone from every answer, and its history stays', async () => {
  const account = await freshAccount();
  const [api, other] = accountApis(account);
  const id = await createAssistant(api);
  expect(await api.delete(`/api/user/assistant/${id}`)).toMatchObject({
    status: 200,
    body: { message: 'Assistant deleted successfully' },
  });
  for (const answer of [
    await other.get(`/api/user/assistant/${id}`),
    await other.put(`/api/user/assistant/${id}`, { name: 'Again' }),
    await other.delete(`/api/user/assistant/${id}`),
    await other.post('/api/user/assistants/enable-webhook', {
      assistant_id: id,
      webhook_url: 'https://example.com',
    }),
  ])
    expect([answer.status, answer.body]).toEqual([404, notFound]);
  expect((await other.get('/api/user/assistants/get')).body).toMatchObject({ data: [], total: 0 });
  const events = await readRows<{ type: string }>(
    'assistants',
    `select type from es.events where stream_id = 'assistant-${id}' order by position`,
  );
  expect(events.map(({ type }) => type)).toEqual(['AssistantCreated', 'AssistantDeleted']);
});

test('If-Match refuses a version that has passed, and a read carries the version', async () => {
  const [api, other] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  const version = String((await other.get(`/api/user/assistant/${id}`)).headers.etag);
  const put = (name: string) => api.put(`/api/user/assistant/${id}`, { name }, { 'if-match': version });
  const first = await put('One');
  expect(first.status).toBe(200);
  expect((await other.get(`/api/user/assistant/${id}`)).headers.etag).toBe(first.headers.etag);
  expect((await put('Two')).status).toBe(412);
  expect(await getAssistant(other, id)).toMatchObject({ name: 'One' });
});
