import { explainCallPermission } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callIn, endCall, fund } from '../support/calls.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { advance, error, hours, timesAsked, voicePair } from './voice-stack.ts';

/** A stack of its own: its clock goes forward by days. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { messaging: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

/** The platform's id of the account's question to a customer. */
async function askSidOf(accountId: number): Promise<string> {
  const query = `select data ->> 'message_sid' as message_sid from es.events
    where account_id = ${accountId} and type = 'CallPermissionRequested'`;
  const [asked] = await readRowsOf<{ message_sid: string }>(stack.databaseUrl, 'messaging', query);
  if (!asked) throw new Error('Nobody was asked.');
  return asked.message_sid;
}

/** Seconds that a busy machine may take between two steps of a test. */
const margin = hours(1);

describe('call permission', () => {
  test('begins with nothing, and a pending one is what the specification shows', async () => {
    const { asked, customer, permission, sender, write } = await voicePair(stack);
    expect(await permission()).toMatchObject({ status: null, requested_at: null, can_request_at: null });
    await write();
    expect(await permission()).toMatchObject({ can_request: true, session_open: true });
    const answer = await asked();
    expect(answer).toMatchObject({
      success: true,
      sender_id: sender.id,
      customer_phone: customer,
      status: 'pending',
      can_call: false,
      can_request: false,
      session_open: true,
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expires_at: null,
      requested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    });
    const shown = await permission();
    expect(shown).toMatchObject({
      ...answer,
      limits: [
        { window: '24h', max: 1, used: 1 },
        { window: '7d', max: 2, used: 1 },
      ],
    });
    expect(shown.can_request_at).toBe(shown.limits[0]?.resets_at);
  });

  test('is asked for once in 24 hours and twice in 7 days', async () => {
    const { ask, asked, customer, permission, write } = await voicePair(stack);
    for (let count = 0; count < 2; count += 1) {
      await write();
      await asked();
      await advance(stack, hours(24) - margin);
      await write();
      expect((await ask()).body).toMatchObject({ details: { reason: 'already_asked_24h' } });
      await advance(stack, margin + 1);
    }
    const refused = await ask();
    expect([refused.status, refused.body]).toEqual([422, error('REQUEST_LIMIT')]);
    const { can_request_at } = await permission();
    expect(refused.body).toMatchObject({ details: { reason: 'weekly_cap', retry_at: can_request_at } });
    await advance(stack, hours(24 * 5) - 2 * margin);
    await write();
    expect((await ask()).body).toMatchObject({ details: { reason: 'weekly_cap' } });
    await advance(stack, 2 * margin + 60);
    await asked();
    expect(await timesAsked(stack, customer)).toBe(3);
  });

  test('may be asked for while the session is open, which only the customer’s own messages keep open', async () => {
    const { ask, asked, permission, write } = await voicePair(stack);
    await write();
    await advance(stack, hours(24) + 1);
    expect((await permission()).session_open).toBe(false);
    expect((await ask()).body).toEqual(error('SESSION_CLOSED'));
    await write();
    await asked();
  });

  test('that is temporary ends after 7 days, and one for good does not', async () => {
    const temporary = await voicePair(stack);
    const permanent = await voicePair(stack);
    for (const pair of [temporary, permanent]) {
      await pair.write();
      await pair.asked();
      await pair.reply('accept', pair === permanent);
    }
    expect(await temporary.permission()).toMatchObject({
      status: 'granted',
      can_call: true,
      can_request: false,
    });
    expect((await permanent.permission()).expires_at).toBeNull();
    await advance(stack, hours(24 * 7) + 2);
    expect(await temporary.permission()).toMatchObject({ status: 'expired', can_call: false });
    expect(await permanent.permission()).toMatchObject({ status: 'granted', can_call: true });
    await permanent.reply('revoke');
    expect(await permanent.permission()).toMatchObject({ status: 'revoked', can_call: false });
  });

  test('that was declined says so, and as_of shows what held before', async () => {
    const { api, asked, customer, permission, reply, sender, write } = await voicePair(stack);
    await write();
    await asked();
    await reply('reject');
    const query = `sender_id=${sender.id}&recipient_phone=${encodeURIComponent(customer)}`;
    const answer = await api.get(`/api/user/chatapp/voice/permission/explain?${query}`);
    expect(answer.status, answer.text).toBe(200);
    const { rules } = explainCallPermission.success.schema.parse(answer.body);
    expect(rules.map(({ rule, verdict }) => [rule, verdict])).toEqual([
      ['voice_enabled', 'passed'],
      ['region', 'passed'],
      ['template', 'passed'],
      ['session', 'passed'],
      ['not_granted_yet', 'passed'],
      ['asked_24h', 'failed'],
      ['weekly_cap', 'passed'],
      ['granted', 'failed'],
    ]);
    for (const { event, rule } of rules) expect([rule, event?.event_id]).toEqual([rule, expect.any(String)]);
    const asking = rules.find(({ rule }) => rule === 'asked_24h')?.event;
    expect((await permission(`&as_of=${asking?.position}`)).status).toBe('pending');
    const writing = rules.find(({ rule }) => rule === 'session')?.event;
    expect(await permission(`&as_of=${writing?.occurred_at}`)).toMatchObject({
      status: null,
      can_request: true,
      limits: [{ used: 0 }, { used: 0 }],
    });
    expect((await permission()).status).toBe('rejected');
  });
});

describe('when the chat platform fails', () => {
  const fault = (mode: string, extra: object = {}) =>
    control(
      'faults',
      { provider: 'chat', operation: 'send_permission_request', mode, times: 1, ...extra },
      stack.sandboxUrl,
    );

  test('a definite no is SEND_FAILED and uses nothing up', async () => {
    const { ask, asked, permission, write } = await voicePair(stack);
    await write();
    await fault('reject');
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('SEND_FAILED')]);
    expect(await permission()).toMatchObject({ status: null, can_request: true });
    await asked();
  });

  test('an ask that turns out not to be deliverable uses nothing up', async () => {
    const { accountId, asked, customer, permission, write } = await voicePair(stack);
    await write();
    await asked();
    const message_sid = await askSidOf(accountId);
    await control('chat/message-status', { message_sid, status: 'failed' }, stack.sandboxUrl);
    await eventually(async () =>
      expect(await permission()).toMatchObject({ status: null, can_request: true, requested_at: null }),
    );
    await asked();
    expect(await timesAsked(stack, customer)).toBe(2);
  });

  test('an ask that reached one device of the customer counts, though it failed on another', async () => {
    const { accountId, asked, permission, write } = await voicePair(stack);
    await write();
    await asked();
    const message_sid = await askSidOf(accountId);
    for (const status of ['delivered', 'failed'])
      await control('chat/message-status', { message_sid, status }, stack.sandboxUrl);
    // What is told of one customer comes in its order.
    await write();
    expect(await permission()).toMatchObject({
      status: 'pending',
      can_request: false,
      limits: [{ used: 1 }, { used: 1 }],
    });
  });

  test.each(['error', 'timeout', 'reset', 'garbage'])('%s is never asked twice', async (mode) => {
    const { ask, customer, permission, write } = await voicePair(stack);
    await write();
    await fault(mode);
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([422, error('SEND_FAILED')]);
    expect((await permission()).status).toBe('pending');
    expect((await ask()).body).toEqual(error('REQUEST_LIMIT'));
    expect(await timesAsked(stack, customer)).toBe(1);
  });

  test('an answer that got lost is found by the status that follows', async () => {
    const { ask, customer, write } = await voicePair(stack);
    await write();
    await fault('garbage', { takes_effect: true });
    // The answer waits for the status for a second; whoever asks again under the key later has it, too.
    const answer = await eventually(
      async () => {
        const told = await ask({}, customer);
        expect(told.status, told.text).toBe(200);
        return told;
      },
      undefined,
      1_000,
    );
    expect(answer.body).toMatchObject({ status: 'pending' });
    expect(await timesAsked(stack, customer)).toBe(1);
  });

  test('a key whose ask nobody knows the outcome of is none for another customer', async () => {
    const { api, customer, sender, write } = await voicePair(stack);
    await write();
    await fault('timeout');
    const body = { sender_id: sender.id, recipient_phone: customer };
    const request = (changed: object) =>
      api.post('/api/user/chatapp/voice/request', { ...body, ...changed }, { 'idempotency-key': 'once' });
    const first = await request({});
    expect([first.status, first.body]).toEqual([422, error('SEND_FAILED')]);
    const others = [{ recipient_phone: freshCustomerNumber() }, { recipient_phone: 'x' }, { sender_id: 9e9 }];
    for (const other of others) {
      const answer = await request(other);
      expect([answer.status, answer.body]).toEqual([422, error('IDEMPOTENCY_KEY_REUSE')]);
    }
    expect((await request({})).text).toBe(first.text);
  });
});

describe('a call', () => {
  test('needs a permission; a connected one lets us ask again, in either direction', async () => {
    const { api, asked, customer, permission, reply, sender, write } = await voicePair(stack);
    const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
    await fund(api, bus);
    await bus.close();
    const body = { sender_id: sender.id, recipient_phone: customer };
    const refused = await api.post('/api/user/chatapp/voice/call', body);
    expect([refused.status, refused.body]).toEqual([422, error('CALL_NOT_PERMITTED')]);
    await write();
    await asked();
    await reply('accept', true);
    const usedAsks = async () => (await permission()).limits.map(({ used }) => used);
    expect(await usedAsks()).toEqual([1, 1]);
    const placed = await api.post('/api/user/chatapp/voice/call', body);
    expect([placed.status, placed.body]).toMatchObject([200, { success: true, status: 'queued' }]);
    const id = Number((placed.body as { reference: string }).reference);
    const ringing = await callIn(api, id, 'ringing');
    expect(ringing).toMatchObject({
      channel: 'chatapp',
      direction: 'outbound',
      customer_phone: customer,
      assistant_phone: sender.phone,
    });
    await endCall(ringing, { outcome: 'completed', duration_s: 30 }, stack.sandboxUrl);
    await callIn(api, id, 'completed');
    await eventually(async () => expect(await usedAsks()).toEqual([0, 0]));

    await reply('revoke');
    await asked();
    expect(await usedAsks()).toEqual([1, 1]);
    const inbound = { direction: 'inbound', to: sender.phone, from: customer };
    await control('calls', { ...inbound, outcome: 'no-answer' }, stack.sandboxUrl);
    await control('calls', { ...inbound, outcome: 'completed', duration_s: 3 }, stack.sandboxUrl);
    await eventually(async () => expect(await usedAsks()).toEqual([0, 0]));
    await asked();
    // A call that somebody else placed from the number connects them as well.
    const outbound = { direction: 'outbound', to: customer, from: sender.phone };
    await control('calls', { ...outbound, outcome: 'completed', duration_s: 3 }, stack.sandboxUrl);
    await eventually(async () => expect(await usedAsks()).toEqual([0, 0]));
    await eventually(async () => expect((await api.get('/api/user/calls')).body).toMatchObject({ total: 4 }));
  });
});

test('a call is placed once by its key, whatever the customer says later', async () => {
  const { api, customer, reply, sender, write } = await voicePair(stack);
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  await fund(api, bus);
  await bus.close();
  await write();
  await reply('accept', true);
  const path = '/api/user/chatapp/voice/call';
  const body = { sender_id: sender.id, recipient_phone: customer };
  const key = { 'idempotency-key': 'once' };
  const first = await api.post(path, body, key);
  expect(first.status).toBe(200);
  expect(Number(first.headers['x-event-position'])).toBeGreaterThan(0);
  const isRepeated = async () => {
    const again = await api.post(path, body, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
  };
  await isRepeated();
  await reply('revoke');
  await isRepeated();
  const other = await api.post(path, { ...body, recipient_phone: freshCustomerNumber() }, key);
  expect([other.status, other.body]).toEqual([422, error('IDEMPOTENCY_KEY_REUSE')]);
  const nobody = await api.post(path, { ...body, sender_id: 999_999_999 }, key);
  expect(nobody.text).toBe(other.text);
  expect((await api.post(path, body)).body).toEqual(error('CALL_NOT_PERMITTED'));
  expect((await api.get('/api/user/calls')).body).toMatchObject({ total: 1 });
});

test('the voice webhook hears of an ask and of its answer, once each and in order', async () => {
  const { api, asked, reply, write } = await voicePair(stack);
  const set = await api.put('/api/user/voice-webhook', { url: `${stack.sandboxUrl}/nowhere` });
  expect(set.status, set.text).toBe(200);
  await write();
  await asked();
  await reply('accept');
  await eventually(async () => {
    const { body } = await api.get('/api/user/webhook-deliveries');
    const { data } = body as { data: { event: string }[] };
    expect(data.map(({ event }) => event)).toEqual(['chatapp_voice', 'chatapp_voice']);
  });
});
