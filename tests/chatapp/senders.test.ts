import { connectSender, listSenders } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import {
  connectedSender,
  control,
  freshBusinessNumber,
  platformNumber,
  renumberedCustomer,
} from '../support/chat-platform.ts';
import { countRows } from '../support/database.ts';

const path = '/api/user/chatapp/senders';
const dataOf = <T>(body: unknown) => (body as { data: T }).data;
const idsOf = (body: unknown) => dataOf<{ id: number }[]>(body).map(({ id }) => id);
const validationFailure = (field: string) => ({
  success: false,
  error: 'The given data was invalid.',
  error_code: 'VALIDATION_FAILED',
  errors: { [field]: [expect.any(String)] },
});

test('a connected sender is as the platform has it, and listed through any gateway', async () => {
  const [api, otherGateway] = accountApis(await freshAccount());
  expect((await api.get(`${path}?status=all`)).text).toBe('{"data":[]}');
  const phone_number = await platformNumber({
    display_name: 'Platform name',
    quality_rating: 'YELLOW',
    messaging_limit: 1000,
    calling_enabled: true,
  });
  const connected = await api.post(path, { phone_number, display_name: 'Acme "Süd" 東京' });
  expect(connected.status).toBe(201);
  connectSender.success.schema.parse(connected.body);
  const { id } = dataOf<{ id: number }>(connected.body);
  expect(connected.body).toEqual({
    data: {
      id,
      phone_number,
      display_name: 'Acme "Süd" 東京',
      status: 'online',
      quality_rating: 'YELLOW',
      messaging_limit: 1000,
      messaging_limit_formatted: '1000 / 24hr',
      voice_calling_enabled: true,
      assistant_id: null,
    },
  });
  const listed = await otherGateway.get(path);
  listSenders.success.schema.parse(listed.body);
  expect(listed.text).toBe(`{"data":[${JSON.stringify(dataOf(connected.body))}]}`);
});

test.each(['Mexico', 'Brazil'] as const)(
  'a business number in %s is connected by the number that is dialed or the platform’s, once',
  async (country) => {
    const [api] = accountApis(await freshAccount());
    const { dialed, told } = renumberedCustomer(country);
    await control('chat/senders', { phone_number: dialed, display_name: 'Acme' });
    const connect = (phone_number: string) => api.post(path, { phone_number, display_name: 'Acme' });
    const connected = await connect(dialed);
    expect([connected.status, connected.body]).toMatchObject([201, { data: { phone_number: told } }]);
    const again = await connect(told);
    expect([again.status, again.body]).toEqual([422, validationFailure('phone_number')]);
  },
);

test.each([
  [null, 'Unlimited'],
  [250, '250 / 24hr'],
  [37, '37 / 24hr'],
  [2000, '2000 / 24hr'],
  [100_000, '100000 / 24hr'],
])('a limit of %s recipients reads %s', async (messaging_limit, formatted) => {
  const [api] = accountApis(await freshAccount());
  await connectedSender(api, { messaging_limit });
  expect((await api.get(path)).body).toMatchObject({
    data: [{ messaging_limit, messaging_limit_formatted: formatted }],
  });
});

describe('the list of senders', () => {
  test('holds those online, newest first, unless asked for others', async () => {
    const [api] = accountApis(await freshAccount());
    const [strangers] = accountApis(await freshAccount());
    await connectedSender(strangers);
    const first = await connectedSender(api);
    const offline = await connectedSender(api, { online: false });
    const last = await connectedSender(api);
    const ids = async (query: string) => idsOf((await api.get(`${path}${query}`)).body);
    expect(await ids('')).toEqual([last.id, first.id]);
    expect(await ids('?status=online')).toEqual([last.id, first.id]);
    expect(await ids('?status=offline')).toEqual([offline.id]);
    expect(await ids('?status=all')).toEqual([last.id, offline.id, first.id]);
  });

  test.each(['ONLINE', 'none', '', 'online&status=all'])('knows no status %j', async (status) => {
    const [api] = accountApis(await freshAccount());
    const { status: code, body } = await api.get(`${path}?status=${status}`);
    expect([code, body]).toEqual([422, validationFailure('status')]);
  });
});

describe('connecting is refused', () => {
  const refused = async (api: Api, body: object) => {
    const answer = await api.post(path, body);
    return [answer.status, answer.body];
  };

  test('when the platform does not know the number', async () => {
    const [api] = accountApis(await freshAccount());
    const body = { phone_number: freshBusinessNumber(), display_name: 'Acme' };
    expect(await refused(api, body)).toEqual([422, validationFailure('phone_number')]);
  });

  test.each(['4915112345678', '+49 151 12345678', '+1', '+999123456789', 'number', ''])(
    'when %j is no phone number',
    async (phone_number) => {
      const [api] = accountApis(await freshAccount());
      expect(await refused(api, { phone_number, display_name: 'Acme' })).toEqual([
        422,
        { success: false, error: expect.any(String), error_code: 'INVALID_PHONE' },
      ]);
    },
  );

  test.each([
    ['display_name', { phone_number: '+4915112345678' }],
    ['display_name', { phone_number: '+4915112345678', display_name: 'x'.repeat(256) }],
    ['phone_number', { display_name: 'Acme' }],
    ['phone_number', { phone_number: 4915112345678, display_name: 'Acme' }],
    ['assistant_id', { phone_number: '+4915112345678', display_name: 'Acme', assistant_id: '1' }],
  ])('for its %s: %j', async (field, body) => {
    const [api] = accountApis(await freshAccount());
    expect(await refused(api, body)).toEqual([422, validationFailure(field)]);
  });

  test('of a number that is connected, to its owner and to others in the same bytes', async () => {
    const account = await freshAccount();
    const [api] = accountApis(account);
    const [stranger] = accountApis(await freshAccount());
    const { phone: phone_number } = await connectedSender(api);
    const again = await api.post(path, { phone_number, display_name: 'Again' });
    const taken = await stranger.post(path, { phone_number, display_name: 'Mine' });
    expect([again.status, again.body]).toEqual([422, validationFailure('phone_number')]);
    expect(taken.text).toBe(again.text);
    expect((await stranger.get(`${path}?status=all`)).text).toBe('{"data":[]}');
  });

  test('of one number to all but one of many who try at once', async () => {
    const phone_number = await platformNumber();
    const apis = (await Promise.all(Array.from({ length: 4 }, freshAccount))).flatMap(accountApis);
    const answers = await Promise.all(
      [...apis, ...apis, ...apis].map((api, n) =>
        api.post(path, { phone_number, display_name: 'Race' }, { 'idempotency-key': `race ${n}` }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(23).fill(422)]);
  });
});

test('the same connect command again gets the same answer; another body is refused', async () => {
  const account = await freshAccount();
  const [api, otherGateway] = accountApis(account);
  const body = { phone_number: await platformNumber(), display_name: 'Once' };
  const headers = { 'idempotency-key': 'connect-1' };
  const first = await api.post(path, body, headers);
  const again = await otherGateway.post(path, body, headers);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const other = await api.post(path, { ...body, display_name: 'Twice' }, headers);
  expect([other.status, other.body]).toEqual([
    422,
    { success: false, error: expect.any(String), error_code: 'IDEMPOTENCY_KEY_REUSE' },
  ]);
  expect(await countRows('messaging', `select 1 from es.events where account_id = ${account.id}`)).toBe(1);
});

test('who answers on a sender, and its name, can be changed; the rest stays', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const [stranger] = accountApis(await freshAccount());
  const assistant_id = await createAssistant(api);
  const { id } = await connectedSender(api, { display_name: 'Before' }, [], { assistantId: assistant_id });
  const before = await api.get(path);
  expect(before.body).toMatchObject({ data: [{ display_name: 'Before', assistant_id }] });

  const change = (body: object, by = api) => by.put(`${path}/${id}`, body);
  expect((await change({ display_name: 'After' })).body).toMatchObject({
    data: { display_name: 'After', assistant_id },
  });
  expect((await change({ assistant_id: null })).body).toMatchObject({
    data: { display_name: 'After', assistant_id: null },
  });
  expect((await change({})).status).toBe(200);
  const theirs = await createAssistant(stranger);
  for (const foreign of [theirs, 999_999_999]) {
    const answer = await change({ assistant_id: foreign });
    expect([answer.status, answer.body]).toEqual([422, validationFailure('assistant_id')]);
  }
  expect((await change({ assistant_id })).body).toMatchObject({ data: { assistant_id } });
  expect(await countRows('messaging', `select 1 from es.events where stream_id = 'sender-${id}'`)).toBe(4);
});

test('a change of a version that has passed is refused in the shape of chat-app errors', async () => {
  const [api] = accountApis(await freshAccount());
  const { id } = await connectedSender(api);
  const first = await api.put(`${path}/${id}`, { display_name: 'One' }, { 'if-match': '"1"' });
  expect([first.status, first.headers.etag]).toEqual([200, '"2"']);
  const second = await api.put(`${path}/${id}`, { display_name: 'Two' }, { 'if-match': '"1"' });
  expect([second.status, second.body]).toEqual([
    412,
    { success: false, error: expect.any(String), error_code: 'VERSION_MISMATCH' },
  ]);
});

test('a deleted assistant answers on no sender any more', async () => {
  const [api] = accountApis(await freshAccount());
  const assistantId = await createAssistant(api);
  const { id } = await connectedSender(api, {}, [], { assistantId });
  await api.delete(`/api/user/assistant/${assistantId}`);
  await expect
    .poll(async () => (await api.get(path)).body)
    .toMatchObject({ data: [{ id, assistant_id: null }] });
});

test('a repeated change is answered like the first, though its assistant is gone by now', async () => {
  const [api] = accountApis(await freshAccount());
  const assistant_id = await createAssistant(api);
  const { id } = await connectedSender(api);
  const change = () => api.put(`${path}/${id}`, { assistant_id }, { 'idempotency-key': 'one' });
  const first = await change();
  expect(first.body).toMatchObject({ data: { assistant_id } });
  await api.delete(`/api/user/assistant/${assistant_id}`);
  const again = await change();
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
});
