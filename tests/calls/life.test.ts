import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, ask, freshAccount, sharedBus } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';
import { callIn, callingAssistant, endCall, fund, makeCall, readCall } from '../support/calls.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';
import { ownNumber } from '../support/telephony.ts';
import { arrivalsAt, startWebhookReceiver } from '../support/webhooks.ts';

async function caller() {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  return api;
}
const balanceOf = async (api: Awaited<ReturnType<typeof caller>>) =>
  ((await api.get('/api/user/me')).body as { total_balance: string }).total_balance;

test('an assistant calls: queued, ringing, completed, paid by the minute, with all that came of it', async () => {
  const api = await caller();
  const assistant = await callingAssistant(api, { variables: { city: 'Rome', name: 'Ada' } });
  const phone_number = freshCustomerNumber();
  const made = await api.post('/api/user/make_call', {
    assistant_id: assistant.id,
    phone_number,
    variables: { name: 'Zoë' },
  });
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      message: 'Call queued successfully',
      data: {
        status: 'queued',
        direction: 'outbound',
        channel: 'phone',
        assistant_id: assistant.id,
        customer_phone: phone_number,
        assistant_phone: assistant.trunk.phone_number,
        input_variables: { city: 'Rome', name: 'Zoë' },
        cost: null,
        finished_at: null,
      },
    },
  ]);
  const { id } = (made.body as { data: { id: number } }).data;
  const ringing = await callIn(api, id, 'ringing');
  await endCall(ringing, {
    outcome: 'completed',
    duration_s: 61,
    transcript: [
      { role: 'assistant', text: 'Hello!' },
      { role: 'customer', text: 'Hi.' },
    ],
    recording_url: 'https://example.com/1.mp3',
    extracted_variables: { city: 'Berlin', score: 4.5 },
  });
  expect(await callIn(api, id, 'completed')).toMatchObject({
    duration: 61,
    transcript: [
      { role: 'assistant', text: 'Hello!' },
      { role: 'customer', text: 'Hi.' },
    ],
    recording_url: 'https://example.com/1.mp3',
    extracted_variables: { city: 'Berlin', score: 4.5 },
    finished_at: expect.any(String),
  });
  await eventually(async () => expect((await readCall(api, id)).cost).toBe('0.20'));
  expect(await balanceOf(api)).toBe('9.80');
  const lines = (await api.get('/api/user/balance/transactions')).body as { data: object[] };
  expect(lines.data[0]).toMatchObject({ amount: '-0.20', reference: `call/${id}` });
  const list = await api.get(`/api/user/calls?status=completed&assistant_id=${assistant.id}`);
  expect([list.status, list.body]).toMatchObject([
    200,
    { data: [{ id }], current_page: 1, per_page: 15, total: 1 },
  ]);
  expect((await api.get('/api/user/calls?direction=inbound')).body).toMatchObject({ data: [], total: 0 });
});

test('a recording that is finished after its call is in the webhook about the call', async () => {
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const api = await caller();
  const assistant = await callingAssistant(api, { include_recording_in_webhook: true });
  const webhook = { assistant_id: assistant.id, webhook_url: receiver.url };
  expect(await api.post('/api/user/assistants/enable-webhook', webhook)).toMatchObject({ status: 200 });
  const { id } = await makeCall(api, assistant.id);
  const recording_url = 'https://example.com/1.mp3';
  await endCall(await callIn(api, id, 'ringing'), {
    outcome: 'completed',
    duration_s: 5,
    recording_url,
    recording_follows: true,
  });
  const [told] = await eventually(() => {
    const arrived = arrivalsAt(receiver);
    expect(arrived).toHaveLength(1);
    return arrived;
  });
  expect(JSON.parse(told?.body ?? '')).toMatchObject({ event: 'post_call', id, recording_url });
  expect(await readCall(api, id)).toMatchObject({ status: 'completed', recording_url });
});

test.each([
  ['no-answer', 'no_answer'],
  ['busy', 'busy'],
  ['failed', 'failed'],
] as const)('a call whose outcome is %s is %s and costs nothing', async (outcome, status) => {
  const api = await caller();
  const assistant = await callingAssistant(api);
  const { id } = await makeCall(api, assistant.id);
  await endCall(await callIn(api, id, 'ringing'), { outcome, duration_s: 30 });
  expect(await callIn(api, id, status)).toMatchObject({ duration: 0, transcript: [] });
  await eventually(async () => expect((await readCall(api, id)).cost).toBe('0.00'));
  expect(await balanceOf(api)).toBe('10.00');
});

test('a call needs an own outbound assistant with a number, a number to call, and the money for the longest one', async () => {
  const [api] = accountApis(await freshAccount());
  const assistant = await callingAssistant(api);
  const phone_number = freshCustomerNumber();
  const refused = async (body: object) => {
    const { status, body: answered } = await api.post('/api/user/make_call', body);
    return [status, answered];
  };
  expect(await refused({ assistant_id: assistant.id, phone_number })).toEqual([
    402,
    { message: 'The account balance is too low.' },
  ]);
  expect(await refused({ assistant_id: assistant.id, phone_number: '0301234' })).toMatchObject([
    422,
    { errors: { phone_number: [expect.any(String)] } },
  ]);
  const inbound = await callingAssistant(api, { type: 'inbound' });
  const numberless = await createAssistant(api);
  for (const assistant_id of [inbound.id, numberless])
    expect(await refused({ assistant_id, phone_number })).toMatchObject([
      422,
      { errors: { assistant_id: [expect.any(String)] } },
    ]);
  expect(await refused({ assistant_id: 999_999_999, phone_number })).toEqual([
    404,
    { message: 'Assistant not found' },
  ]);
  expect(await refused({})).toMatchObject([422, { errors: { assistant_id: [expect.any(String)] } }]);
  expect((await api.get('/api/user/calls')).body).toMatchObject({ data: [], total: 0 });
});

test('a call’s variables are as large as a body, with those of the assistant, and no larger when numbers are written out', async () => {
  const api = await caller();
  const { id: assistant_id } = await callingAssistant(api, { variables: { own: 'x'.repeat(100_000) } });
  const call = (variables: string) =>
    api.call('POST', '/api/user/make_call', {
      raw: `{"assistant_id":${assistant_id},"phone_number":"${freshCustomerNumber()}","variables":${variables}}`,
      headers: { 'content-type': 'application/json' },
    });
  const list = (count: number, number: string) => `[${Array.from({ length: count }, () => number).join()}]`;
  for (const variables of [`{"list":${list(20_000, '1e20')}}`, `{"list":${list(100_000, '0')}}`]) {
    const { status, body } = await call(variables);
    expect([status, body]).toEqual([
      422,
      {
        message: 'The given data was invalid.',
        errors: { variables: [expect.stringContaining('262144 characters')] },
      },
    ]);
  }
  for (const variables of [`{"own":"","list":${list(11_000, '1e20')}}`, `{"list":${list(75_000, '0')}}`])
    expect((await call(variables)).status).toBe(201);
});

test('a call that the customer takes before it is dialed is that call, and no other', async () => {
  const api = await caller();
  const made = await makeCall(api, (await callingAssistant(api)).id);
  await endCall(made, { outcome: 'completed', duration_s: 5 });
  await callIn(api, made.id, 'completed');
  expect((await api.get('/api/user/calls')).body).toMatchObject({ total: 1 });
});

test('twenty requests with one idempotency key make one call', async () => {
  const api = await caller();
  const assistant = await callingAssistant(api);
  const body = { assistant_id: assistant.id, phone_number: freshCustomerNumber() };
  const headers = { 'idempotency-key': 'one-call' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => api.post('/api/user/make_call', body, headers)),
  );
  const texts = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text));
  expect(texts.size).toBe(1);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect((await api.get('/api/user/calls')).body).toMatchObject({ total: 1 });
  await eventually(async () => {
    const { body: me } = await api.get('/api/user/balance/transactions');
    expect(me).toMatchObject({ data: [{ amount: '10.00' }] });
  });
});

test('a repeated request is answered like the first, whatever became of its assistant meanwhile', async () => {
  const api = await caller();
  const assistant = await callingAssistant(api);
  const body = { assistant_id: assistant.id, phone_number: freshCustomerNumber() };
  const make = () => api.post('/api/user/make_call', body, { 'idempotency-key': 'told-twice' });
  const first = await make();
  expect(first.status).toBe(201);
  const path = `/api/user/assistant/${assistant.id}`;
  for (const change of [() => api.put(path, { phone_number_id: null }), () => api.delete(path)]) {
    expect((await change()).status).toBe(200);
    const again = await make();
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
  }
});

test('an inbound call is answered by the number’s assistant, told to its webhooks, and paid when it is over', async () => {
  const api = await caller();
  const assistant = await callingAssistant(api, { type: 'inbound' });
  const webhook_url = `${sharedStack().sandboxUrl}/nowhere`;
  await api.post('/api/user/assistants/enable-inbound-webhook', { assistant_id: assistant.id, webhook_url });
  const from = freshCustomerNumber();
  await control('calls', {
    direction: 'inbound',
    to: assistant.trunk.phone_number,
    from,
    outcome: 'completed',
    duration_s: 5,
    transcript: 'assistant: Hello!\ncustomer: Hi.',
  });
  const [found] = await eventually(async () => {
    const { body } = await api.get('/api/user/calls?status=completed');
    const { data } = body as { data: { id: number; cost: string | null }[] };
    expect(data).toHaveLength(1);
    expect(data[0]?.cost).toBe('0.10');
    return data;
  });
  expect(found).toMatchObject({
    direction: 'inbound',
    assistant_id: assistant.id,
    customer_phone: from,
    assistant_phone: assistant.trunk.phone_number,
    duration: 5,
    transcript: [
      { role: 'assistant', text: 'Hello!' },
      { role: 'customer', text: 'Hi.' },
    ],
  });
  await eventually(async () => {
    const { body } = await api.get('/api/user/webhook-deliveries');
    expect(body).toMatchObject({ data: [{ event: 'inbound_call' }] });
  });
});

test('an inbound call takes what is there where that is less than it cost', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const payment = { amount_micros: 150_000, description: 'Test', reference: null };
  await ask(await sharedBus(), topUpBalance, { account_id: account.id, ...payment });
  const { trunk } = await callingAssistant(api, { type: 'inbound' });
  const callIn61s = () =>
    control('calls', {
      ...{ direction: 'inbound', to: trunk.phone_number, from: freshCustomerNumber() },
      ...{ outcome: 'completed', duration_s: 61 },
    });
  const newestIs = (call: object) =>
    eventually(async () => {
      const { body } = await api.get('/api/user/calls?per_page=1');
      expect(body).toMatchObject({ data: [call] });
    });
  await callIn61s();
  await newestIs({ status: 'completed', duration: 61, cost: '0.15' });
  expect(await balanceOf(api)).toBe('0.00');
  // With nothing left nobody is answered.
  await callIn61s();
  const reason = 'The balance was too low to pay for the call.';
  await newestIs({ status: 'failed', duration: 0, cost: '0.00', reason });
});

test('another account’s number, or nobody’s, is nobody’s call', async () => {
  const api = await caller();
  await control('calls', {
    direction: 'inbound',
    to: freshCustomerNumber(),
    from: freshCustomerNumber(),
    outcome: 'completed',
    duration_s: 5,
  });
  const other = await caller();
  const assistant = await callingAssistant(other, { type: 'inbound' });
  const call = { direction: 'inbound', to: assistant.trunk.phone_number, from: freshCustomerNumber() };
  await control('calls', { ...call, outcome: 'completed', duration_s: 5 });
  await eventually(async () => expect((await other.get('/api/user/calls')).body).toMatchObject({ total: 1 }));
  expect((await api.get('/api/user/calls')).body).toMatchObject({ total: 0 });
});

test('calls to a bought number are its buyer’s, whatever others call their trunks', async () => {
  const api = await caller();
  const number = await ownNumber(api);
  const assistant = await createAssistant(api, { type: 'inbound', phone_number_id: number.id });
  const other = await caller();
  await createSipTrunk(other, { phone_number: number.phone_number, country_code: 'US' });
  await control('calls', {
    direction: 'inbound',
    to: number.phone_number,
    from: freshCustomerNumber(),
    outcome: 'completed',
    duration_s: 5,
  });
  await eventually(async () =>
    expect((await api.get('/api/user/calls')).body).toMatchObject({
      data: [{ status: 'completed', assistant_id: assistant }],
    }),
  );
  expect((await other.get('/api/user/calls')).body).toMatchObject({ total: 0 });
});
