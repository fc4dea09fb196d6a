import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
const sender = { phone_number: '+14155552671', display_name: 'Acme' };
const authorization = `Bearer ${sandboxDefaults.WHATSAPP_ACCESS_TOKEN.reveal()}`;

beforeAll(async () => {
  sandbox = await startTestSandbox({ silenceMs: 300 });
  await sandbox.control('chat/senders', sender);
});
afterAll(() => sandbox.close());

const accounts = (signal?: AbortSignal) =>
  ask(`${sandbox.url}/v23.0/${sandboxDefaults.WHATSAPP_BUSINESS_ID}/owned_whatsapp_business_accounts`, {
    headers: { authorization },
    ...(signal ? { signal } : {}),
  });
const log = async () =>
  JSON.parse(JSON.stringify((await sandbox.read('/control/requests?provider=chat')).body)).data;
const fault = (mode: string, times: number, extra: object = {}) =>
  sandbox.control('faults', { provider: 'chat', operation: 'get_sender', mode, times, ...extra });

describe('faults', () => {
  test('hit exactly so many calls, however many arrive at once', async () => {
    await fault('error', 7);
    const answers = await Promise.all(Array.from({ length: 20 }, () => accounts()));
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(13);
  });

  test('reject, error and garbage are answers; the log says which', async () => {
    await fault('reject', 1);
    expect(await accounts()).toMatchObject({ status: 400, body: { error: { type: 'OAuthException' } } });
    await fault('garbage', 1);
    expect(await accounts()).toEqual({ status: 200, body: '<html><body>It works!</body>' });
    expect((await log()).slice(-2)).toMatchObject([
      { operation: 'get_sender', status: 400, fault: 'reject' },
      { operation: 'get_sender', status: 200, fault: 'garbage' },
    ]);
  });

  test('a timeout says nothing until the caller has had enough, a reset cuts the connection', async () => {
    await fault('timeout', 1);
    await expect(accounts()).rejects.toThrow();
    await fault('reset', 1);
    await expect(accounts()).rejects.toThrow();
    expect((await log()).slice(-2)).toMatchObject([
      { status: null, fault: 'timeout' },
      { status: null, fault: 'reset' },
    ]);
  });

  test('without an operation hit every operation of the provider, and zero times clears', async () => {
    await sandbox.control('faults', { provider: 'chat', mode: 'error', times: 100 });
    expect((await accounts()).status).toBe(500);
    await sandbox.control('faults', { provider: 'chat', mode: 'error', times: 0 });
    expect((await accounts()).status).toBe(200);
  });

  test('a lost answer can hide an effect', async () => {
    const { body } = await sandbox.control('chat/senders', sender);
    const { phone_number_id } = JSON.parse(JSON.stringify(body));
    await sandbox.control('faults', {
      provider: 'chat',
      operation: 'send_message',
      mode: 'reset',
      times: 1,
      takes_effect: true,
    });
    const sent = ask(`${sandbox.url}/v23.0/${phone_number_id}/messages`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        messaging_product: 'whatsapp',
        to: '491701234567',
        type: 'text',
        text: { body: 'Hello' },
        biz_opaque_callback_data: 'lost',
      }),
    });
    await expect(sent).rejects.toThrow();
    const callbacks = await sandbox.read('/control/callbacks?provider=chat');
    expect(JSON.stringify(callbacks.body)).toContain('"biz_opaque_callback_data":"lost"');
  });
});

describe('the log and the state', () => {
  test('survive a restart and are gone after a reset', async () => {
    await accounts();
    const before = await log();
    await sandbox.restart();
    expect(await log()).toEqual(before);
    expect(await accounts()).toMatchObject({ body: { data: [{ name: 'Acme' }] } });
    expect((await sandbox.control('reset')).status).toBe(200);
    expect(await log()).toEqual([]);
    expect(await accounts()).toMatchObject({ body: { data: [] } });
  });
});

describe('a control call', () => {
  test.each([
    ['chat/senders', {}, 'phone_number'],
    ['chat/senders', { phone_number: '+14155550000' }, 'display_name'],
    ['chat/templates', { ...sender, status: 'unknown' }, 'status'],
    ['chat/inbound', { to: '0', from: '+1', text: '' }, 'text'],
    ['chat/permission-reply', { response: 'maybe' }, 'response'],
    ['chat/message-status', { message_sid: 'x', status: 'lost' }, 'status'],
    ['faults', { provider: 'pigeon', mode: 'error', times: 1 }, 'provider'],
    ['faults', { provider: 'chat', operation: 'fly', mode: 'error', times: 1 }, 'operation'],
    ['faults', { provider: 'chat', times: 1 }, 'mode'],
    ['clock/advance', { seconds: -1 }, 'seconds'],
    ['accounts/balance', { email: 'a@example.com', total_balance: 'much' }, 'total_balance'],
  ])('to %s says which field is wrong', async (path, body, field) => {
    const answer = await sandbox.control(path, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toHaveProperty(['errors', field]);
  });

  test('about something that does not exist is a 404', async () => {
    const unknown = { to: '+15005550006', from: '+491701234567' };
    expect((await sandbox.control('chat/inbound', { ...unknown, text: 'Hi' })).status).toBe(404);
    expect((await sandbox.control('chat/permission-reply', { ...unknown, response: 'accept' })).status).toBe(
      404,
    );
    const status = { message_sid: 'wamid.none', status: 'read' };
    expect((await sandbox.control('chat/message-status', status)).status).toBe(404);
  });

  test('that is no JSON is a 400', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask(`${sandbox.url}/control/faults`, { method: 'POST', headers, body: '{' });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } });
  });
});

test('the index shows every control call', async () => {
  const page = await sandbox.read('/');
  expect(page.status).toBe(200);
  for (const path of ['chat/senders', 'calls', 'faults', 'clock/advance', 'accounts/balance', 'reset'])
    expect(page.body).toContain(`/control/${path}`);
  expect((await sandbox.read('/health')).status).toBe(200);
  expect((await sandbox.read('/nowhere')).status).toBe(404);
});
