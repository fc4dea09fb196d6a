import { createHmac } from 'node:crypto';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxDefaults } from '../sandbox.fixture.ts';
import { customer, senderPhone, startTestGraph, type TestGraph } from './graph.fixture.ts';

let graph: TestGraph;
beforeAll(async () => {
  graph = await startTestGraph();
});
afterAll(() => graph.sandbox.close());

describe('sending', () => {
  test('answers with an id and tells the status with the sender’s own word, signed', async () => {
    const answer = await graph.sendTemplate('welcome', ['Ada', '12'], { biz_opaque_callback_data: 'send-1' });
    expect(answer).toMatchObject({ status: 200, body: { contacts: [{ wa_id: '491701234567' }] } });
    const { id } = JSON.parse(JSON.stringify(answer.body)).messages[0];
    await eventually(() =>
      expect(graph.notifications(id)).toMatchObject([
        { statuses: [{ id, status: 'sent', biz_opaque_callback_data: 'send-1' }] },
      ]),
    );
    const hook = graph.sandbox.received.find(({ body }) => body.includes(id));
    const secret = sandboxDefaults.WHATSAPP_APP_SECRET.reveal();
    const signature = createHmac('sha256', secret)
      .update(hook?.body ?? '')
      .digest('hex');
    expect(hook).toMatchObject({
      path: '/hooks/chat/whatsapp',
      headers: { 'x-hub-signature-256': `sha256=${signature}` },
    });
    expect(
      await graph.sandbox.control('chat/message-status', { message_sid: id, status: 'failed' }),
    ).toMatchObject({
      status: 200,
    });
    await eventually(() =>
      expect(graph.notifications(id)[1]).toMatchObject({
        statuses: [{ status: 'failed', errors: [{ code: 131026 }] }],
      }),
    );
    const { body } = await graph.sandbox.read('/control/requests?provider=chat');
    expect(JSON.parse(JSON.stringify(body)).data).toContainEqual(
      expect.objectContaining({ operation: 'send_message', idempotency_key: 'send-1', status: 200 }),
    );
  });

  test.each([
    ['a template nobody made', () => graph.sendTemplate('missing', []), 404, 132001],
    ['a template that is not approved', () => graph.sendTemplate('waiting', []), 404, 132001],
    ['too few parameters', () => graph.sendTemplate('welcome', ['Ada']), 400, 132000],
    ['positional parameters for a named template', () => graph.sendTemplate('named', ['Ada']), 400, 132012],
    ['a message without content', () => graph.send({ type: 'text' }), 400, 100],
  ])('refuses %s', async (_, attempt, status, code) => {
    expect(await attempt()).toMatchObject({ status, body: { error: { code } } });
  });

  test('takes text', async () => {
    expect(await graph.send({ type: 'text', text: { body: 'Hello' } })).toMatchObject({ status: 200 });
  });
});

describe('call permission', () => {
  test('is asked for, given, shown, and taken back', async () => {
    const permission = () => graph.get(`${graph.phoneNumberId}/call_permissions?user_wa_id=491701234567`);
    expect(await permission()).toMatchObject({ body: { permission: { status: 'no_permission' } } });
    const asked = await graph.send({
      type: 'interactive',
      interactive: { type: 'call_permission_request', action: { name: 'call_permission_request' } },
    });
    const requestId = JSON.parse(JSON.stringify(asked.body)).messages[0].id;
    expect(await permission()).toMatchObject({
      body: {
        actions: [
          {
            action_name: 'send_call_permission_request',
            can_perform_action: false,
            limits: [
              { time_period: 'PT24H', max_allowed: 1, current_usage: 1 },
              { time_period: 'P7D', max_allowed: 2, current_usage: 1 },
            ],
          },
          { action_name: 'start_call', can_perform_action: false },
        ],
      },
    });
    const reply = { to: senderPhone, from: customer };
    await graph.sandbox.control('chat/permission-reply', { ...reply, response: 'accept' });
    expect(await permission()).toMatchObject({
      body: { permission: { status: 'temporary', expiration_time: expect.any(Number) } },
    });
    await graph.sandbox.control('chat/permission-reply', { ...reply, response: 'accept', permanent: true });
    expect(await permission()).toMatchObject({ body: { permission: { status: 'permanent' } } });
    await graph.sandbox.control('chat/permission-reply', { ...reply, response: 'revoke' });
    expect(await permission()).toMatchObject({ body: { permission: { status: 'no_permission' } } });
    await eventually(() => expect(graph.notifications('call_permission_reply')).toHaveLength(3));
    expect(graph.notifications('call_permission_reply')).toMatchObject([
      {
        messages: [
          {
            context: { id: requestId },
            interactive: { call_permission_reply: { response: 'accept', is_permanent: false } },
          },
        ],
      },
      { messages: [{ interactive: { call_permission_reply: { response: 'accept', is_permanent: true } } }] },
      { messages: [{ interactive: { call_permission_reply: { response: 'reject' } } }] },
    ]);
  });

  test('is a request of its own for faults, as message and as template', async () => {
    await graph.sandbox.control('faults', {
      provider: 'chat',
      operation: 'send_permission_request',
      mode: 'reject',
      times: 1,
    });
    expect(await graph.sendTemplate('welcome', ['Ada', '12'])).toMatchObject({ status: 200 });
    expect(await graph.sendTemplate('may_we_call', [])).toMatchObject({
      status: 400,
      body: { error: { code: 131026 } },
    });
    expect(await graph.sendTemplate('may_we_call', [])).toMatchObject({ status: 200 });
  });
});

test('an inbound message reaches the gateway', async () => {
  const answer = await graph.sandbox.control('chat/inbound', {
    to: senderPhone,
    from: customer,
    text: 'Where is my order? 📦',
    name: 'Ada',
  });
  expect(answer.status).toBe(200);
  await eventually(() =>
    expect(graph.notifications('Where is my order')).toMatchObject([
      {
        metadata: { display_phone_number: '14155552671', phone_number_id: graph.phoneNumberId },
        contacts: [{ profile: { name: 'Ada' }, wa_id: '491701234567' }],
        messages: [{ from: '491701234567', type: 'text', text: { body: 'Where is my order? 📦' } }],
      },
    ]),
  );
});

test('what an inbound message goes back to is told as Meta tells it', async () => {
  const inbound = (body: object) =>
    graph.sandbox.control('chat/inbound', { to: senderPhone, from: customer, ...body });
  await inbound({ text: 'This one', reply_to_sid: 'wamid.0' });
  await inbound({ text: 'Read that', forwarded: true });
  await inbound({ text: 'Confirm it', reply_to_sid: 'wamid.0', button_payload: 'confirm' });
  const referral = { source_type: 'ad', source_id: '1', source_url: 'https://fb.me/1', headline: 'Sale' };
  await inbound({ text: 'Still on?', referral });
  const context = { from: '14155552671', id: 'wamid.0' };
  for (const [text, message] of Object.entries({
    'This one': { type: 'text', context },
    'Read that': { type: 'text', context: { forwarded: true } },
    'Confirm it': { type: 'button', button: { text: 'Confirm it', payload: 'confirm' }, context },
    'Still on?': { type: 'text', referral },
  }))
    await eventually(() => expect(graph.notifications(text)).toMatchObject([{ messages: [message] }]));
});

test('a webhook is repeated until the gateway takes it', async () => {
  graph.sandbox.gatewayAnswers(503);
  await graph.sandbox.control('chat/inbound', { to: senderPhone, from: customer, text: 'again and again' });
  await eventually(() => expect(graph.notifications('again and again').length).toBeGreaterThan(1));
  graph.sandbox.gatewayAnswers(200);
  await eventually(async () => {
    const { body } = await graph.sandbox.read('/control/callbacks?provider=chat');
    const { data } = JSON.parse(JSON.stringify(body));
    expect(data.at(-1)).toMatchObject({ state: 'delivered', event: 'message.text' });
  });
});
