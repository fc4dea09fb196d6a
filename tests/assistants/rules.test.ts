import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Answer } from '../support/api.ts';
import { assistantBody, createAssistant, getAssistant } from '../support/assistants.ts';

const fieldsOf = ({ status, body, text }: Answer): string[] => {
  expect(status, text).toBe(422);
  const { message, errors } = body as { message: string; errors: Record<string, string[]> };
  expect(message).toBe('The given data was invalid.');
  for (const messages of Object.values(errors)) expect(messages[0]).toMatch(/^[A-Z].*\.$/);
  return Object.keys(errors).sort();
};

test('every required field that is missing is named', async () => {
  const [api] = accountApis(await freshAccount());
  const required = Object.keys(assistantBody()).filter((field) => field !== 'llm_model_id');
  expect(fieldsOf(await api.post('/api/user/assistant', {}))).toEqual(required.sort());
  for (const field of required)
    expect(fieldsOf(await api.post('/api/user/assistant', assistantBody({ [field]: null })))).toEqual([
      field,
    ]);
});

/** Just inside and just outside of each range. */
const ranges: [string, number, number, number][] = [
  ['max_duration', 20, 1200, 1],
  ['max_silence_duration', 1, 360, 1],
  ['reengagement_interval', 7, 600, 1],
  ['llm_temperature', 0, 1, 0.01],
  ['voice_stability', 0, 1, 0.01],
  ['voice_similarity', 0, 1, 0.01],
  ['speech_speed', 0.7, 1.2, 0.01],
  ['ambient_sound_volume', 0, 1, 0.01],
  ['endpoint_sensitivity', 0, 5, 0.01],
  ['interrupt_sensitivity', 0, 5, 0.01],
  ['min_interrupt_words', 0, 10, 1],
];

test.each(ranges)('%s lies from %d to %d', async (field, min, max, step) => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  for (const value of [min, max])
    expect((await api.put(`/api/user/assistant/${id}`, { [field]: value })).status).toBe(200);
  for (const value of [min - step, max + step])
    expect(fieldsOf(await api.put(`/api/user/assistant/${id}`, { [field]: value }))).toEqual([field]);
});

const refused: [string, Record<string, unknown>, string?][] = [
  ['an initial message of 201 characters', { initial_message: 'x'.repeat(201) }],
  ['another type', { type: 'both' }],
  ['another mode', { mode: 'pipe' }],
  ['an unknown time zone', { timezone: 'Europe/Nowhere' }],
  ['an offset as time zone', { timezone: '+01:00' }],
  ['a voice id of 0', { voice_id: 0 }],
  ['true as a flag that is a number', { fillers: true }],
  ['1 as a flag that is a boolean', { record: 1 }],
  [
    'a post-call field with a bad name',
    { post_call_schema: [{ name: 'A!', type: 'bool', description: 'abc' }] },
    'post_call_schema.0.name',
  ],
  [
    'a post-call field with a bad type',
    { post_call_schema: [{ name: 'abc', type: 'date', description: 'abc' }] },
    'post_call_schema.0.type',
  ],
  [
    'a post-call field with a short description',
    { post_call_schema: [{ name: 'abc', type: 'bool', description: 'ab' }] },
    'post_call_schema.0.description',
  ],
  ['tools that are texts', { tools: ['x'] }, 'tools.0'],
  ['variables that are a list', { variables: [] }],
  ['a status beside active and inactive', { status: 'deleted' }],
];

test.each(refused)('%s is refused by field', async (_, change, field = Object.keys(change)[0]) => {
  const [api] = accountApis(await freshAccount());
  const id = await createAssistant(api);
  expect(fieldsOf(await api.put(`/api/user/assistant/${id}`, change))).toEqual([field]);
});

describe('the model', () => {
  test('is required by the mode, on creation and after a change', async () => {
    const [api] = accountApis(await freshAccount());
    const create = (extra: object) => api.post('/api/user/assistant', assistantBody(extra));
    expect(fieldsOf(await create({ llm_model_id: null }))).toEqual(['llm_model_id']);
    expect(fieldsOf(await create({ mode: 'multimodal' }))).toEqual(['multimodal_model_id']);
    const id = await createAssistant(api);
    const put = (change: object) => api.put(`/api/user/assistant/${id}`, change);
    expect(fieldsOf(await put({ mode: 'multimodal' }))).toEqual(['multimodal_model_id']);
    expect(fieldsOf(await put({ llm_model_id: null }))).toEqual(['llm_model_id']);
    expect((await put({ mode: 'multimodal', multimodal_model_id: 2, llm_model_id: null })).status).toBe(200);
    expect(await getAssistant(api, id)).toMatchObject({ mode: 'multimodal', llm_model_id: null });
  });
});

test('a phone number that is not the account’s is refused', async () => {
  const [api] = accountApis(await freshAccount());
  for (const type of ['inbound', 'outbound'])
    expect(
      fieldsOf(await api.post('/api/user/assistant', assistantBody({ type, phone_number_id: 1 }))),
    ).toEqual(['phone_number_id']);
});

test('all that is wrong is said at once', async () => {
  const [api] = accountApis(await freshAccount());
  const wrong = { folder_id: 1e9, label_ids: [1e9], knowledgebase_id: 1e9, is_webhook_active: true };
  expect(fieldsOf(await api.post('/api/user/assistant', assistantBody(wrong)))).toEqual([
    'folder_id',
    'knowledgebase_id',
    'label_ids.0',
    'webhook_url',
  ]);
});

test('what nobody may set is ignored', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const forbidden = {
    id: 7,
    uuid: '0b9f3c1e-5d0a-4c1b-9b57-3f2d6a1c8e40',
    user_id: 1,
    account_id: 1,
    deleted_at: '2020-01-01T00:00:00Z',
    created_at: '2020-01-01T00:00:00Z',
    instance_id: 99,
    engine_id: 99,
    flows_platform_id: 99,
    balance: 1e9,
    ai_enabled: true,
  };
  const created = await api.post('/api/user/assistant', assistantBody({ ...forbidden, status: 'active' }));
  const { id } = (created.body as { data: { id: number } }).data;
  const before = await getAssistant(api, id);
  expect(before).toMatchObject({
    user_id: account.id,
    status: 'inactive',
    deleted_at: null,
    instance_id: 1,
    engine_id: null,
    flows_platform_id: null,
  });
  expect(before.uuid).not.toBe(forbidden.uuid);
  await api.put(`/api/user/assistant/${id}`, forbidden);
  expect(await getAssistant(api, id)).toEqual(before);
});
