import { createHmac } from 'node:crypto';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
let phoneNumberId: string;
let accountId: string;

const senderPhone = '+14155552671';
const customer = '+491701234567';
const authorization = `Bearer ${sandboxDefaults.WHATSAPP_ACCESS_TOKEN.reveal()}`;

const get = (path: string) => ask(`${sandbox.url}/v23.0/${path}`, { headers: { authorization } });
const send = (message: object) =>
  ask(`${sandbox.url}/v23.0/${phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: customer.slice(1), ...message }),
  });
const sendTemplate = (name: string, parameters: readonly string[], extra: object = {}) =>
  send({
    type: 'template',
    template: {
      name,
      language: { code: 'en' },
      components: [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }],
    },
    ...extra,
  });

/** The `value` of each notification that has `content`, in the order of arrival. */
const notifications = (content: string): unknown[] =>
  sandbox.received
    .map(({ body }) => JSON.parse(body).entry[0].changes[0].value)
    .filter((value) => JSON.stringify(value).includes(content));

beforeAll(async () => {
  sandbox = await startTestSandbox();
  const sender = await sandbox.control('chat/senders', {
    phone_number: senderPhone,
    display_name: 'Acme',
    messaging_limit: 37,
    calling_enabled: true,
  });
  expect(sender).toMatchObject({ status: 200, body: { online: true, quality_rating: 'GREEN' } });
  const template = { sender_phone: senderPhone, language: 'en', category: 'utility', status: 'approved' };
  await sandbox.control('chat/templates', {
    ...template,
    name: 'welcome',
    body_text: 'Hi {{1}}, {{2}}!',
    variables: ['name', 'order'],
  });
  await sandbox.control('chat/templates', { ...template, name: 'named', body_text: 'Hi {{first_name}}' });
  await sandbox.control('chat/templates', {
    ...template,
    name: 'waiting',
    status: 'pending',
    body_text: 'Hi',
  });
  await sandbox.control('chat/templates', {
    ...template,
    name: 'may_we_call',
    body_text: 'May we call?',
    kind: 'voice_call_request',
  });
  const accounts = await get(
    `${sandboxDefaults.WHATSAPP_BUSINESS_ID}/owned_whatsapp_business_accounts?fields=id,phone_numbers{id,display_phone_number}`,
  );
  expect(accounts).toMatchObject({
    status: 200,
    body: { data: [{ phone_numbers: { data: [{ display_phone_number: '+1 415 555 2671' }] } }] },
  });
  const { data } = JSON.parse(JSON.stringify(accounts.body));
  accountId = data[0].id;
  phoneNumberId = data[0].phone_numbers.data[0].id;
});
afterAll(() => sandbox.close());

describe('a business number', () => {
  test('shows the fields asked for', async () => {
    const fields = 'display_phone_number,verified_name,quality_rating,messaging_limit_tier,status';
    expect(await get(`${phoneNumberId}?fields=${fields}`)).toEqual({
      status: 200,
      body: {
        id: phoneNumberId,
        display_phone_number: '+1 415 555 2671',
        verified_name: 'Acme',
        quality_rating: 'GREEN',
        messaging_limit_tier: 'TIER_37',
        status: 'CONNECTED',
      },
    });
    expect(await get(`${phoneNumberId}/settings`)).toMatchObject({
      body: { calling: { status: 'ENABLED' } },
    });
  });

  test('changes by the same control call and keeps what is not named', async () => {
    const other = { phone_number: '+14155552672', display_name: 'Other', quality_rating: 'RED' };
    const created = await sandbox.control('chat/senders', other);
    const changed = await sandbox.control('chat/senders', { phone_number: '+14155552672', online: false });
    expect(changed.body).toEqual({ ...JSON.parse(JSON.stringify(created.body)), online: false });
  });

  test('is unknown in Graph’s words when it does not exist', async () => {
    const answer = await get('4711');
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  });

  test('is shown to no one without the token', async () => {
    const answer = await ask(`${sandbox.url}/v23.0/${phoneNumberId}`);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 190, type: 'OAuthException' } } });
  });
});

describe('templates', () => {
  test('are listed in pages whose last one has no next', async () => {
    const names: string[] = [];
    let path: string | undefined = `${accountId}/message_templates?limit=3&fields=name,status`;
    while (path) {
      const page = JSON.parse(JSON.stringify((await get(path)).body));
      for (const { name, status } of page.data) names.push(`${name} ${status}`);
      path = page.paging.next?.split('/v23.0/')[1];
    }
    expect(names).toEqual(['may_we_call APPROVED', 'named APPROVED', 'waiting PENDING', 'welcome APPROVED']);
  });

  test('carry people’s names for positional placeholders as examples', async () => {
    const { body } = await get(`${accountId}/message_templates?name=welcome`);
    expect(body).toMatchObject({
      data: [
        {
          category: 'UTILITY',
          parameter_format: 'POSITIONAL',
          components: [
            { type: 'BODY', text: 'Hi {{1}}, {{2}}!', example: { body_text: [['name', 'order']] } },
          ],
        },
      ],
    });
  });

  test('say which of them ask for a call', async () => {
    const { body } = await get(`${accountId}/message_templates?name=may_we_call`);
    expect(body).toMatchObject({ data: [{ components: [{}, { type: 'call_permission_request' }] }] });
  });
});

describe('sending', () => {
  test('answers with an id and tells the status with the sender’s own word, signed', async () => {
    const answer = await sendTemplate('welcome', ['Ada', '12'], { biz_opaque_callback_data: 'send-1' });
    expect(answer).toMatchObject({ status: 200, body: { contacts: [{ wa_id: '491701234567' }] } });
    const { id } = JSON.parse(JSON.stringify(answer.body)).messages[0];
    await eventually(() =>
      expect(notifications(id)).toMatchObject([
        { statuses: [{ id, status: 'sent', biz_opaque_callback_data: 'send-1' }] },
      ]),
    );
    const hook = sandbox.received.find(({ body }) => body.includes(id));
    const secret = sandboxDefaults.WHATSAPP_APP_SECRET.reveal();
    const signature = createHmac('sha256', secret)
      .update(hook?.body ?? '')
      .digest('hex');
    expect(hook).toMatchObject({
      path: '/hooks/chat/whatsapp',
      headers: { 'x-hub-signature-256': `sha256=${signature}` },
    });
    expect(await sandbox.control('chat/message-status', { message_sid: id, status: 'failed' })).toMatchObject(
      {
        status: 200,
      },
    );
    await eventually(() =>
      expect(notifications(id)[1]).toMatchObject({
        statuses: [{ status: 'failed', errors: [{ code: 131026 }] }],
      }),
    );
    const { body } = await sandbox.read('/control/requests?provider=chat');
    expect(JSON.parse(JSON.stringify(body)).data).toContainEqual(
      expect.objectContaining({ operation: 'send_message', idempotency_key: 'send-1', status: 200 }),
    );
  });

  test.each([
    ['a template nobody made', () => sendTemplate('missing', []), 404, 132001],
    ['a template that is not approved', () => sendTemplate('waiting', []), 404, 132001],
    ['too few parameters', () => sendTemplate('welcome', ['Ada']), 400, 132000],
    ['positional parameters for a named template', () => sendTemplate('named', ['Ada']), 400, 132012],
    ['a message without content', () => send({ type: 'text' }), 400, 100],
  ])('refuses %s', async (_, attempt, status, code) => {
    expect(await attempt()).toMatchObject({ status, body: { error: { code } } });
  });

  test('takes text', async () => {
    expect(await send({ type: 'text', text: { body: 'Hello' } })).toMatchObject({ status: 200 });
  });
});

describe('call permission', () => {
  test('is asked for, given, shown, and taken back', async () => {
    const permission = () => get(`${phoneNumberId}/call_permissions?user_wa_id=491701234567`);
    expect(await permission()).toMatchObject({ body: { permission: { status: 'no_permission' } } });
    const asked = await send({
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
    await sandbox.control('chat/permission-reply', { ...reply, response: 'accept' });
    expect(await permission()).toMatchObject({
      body: { permission: { status: 'temporary', expiration_time: expect.any(Number) } },
    });
    await sandbox.control('chat/permission-reply', { ...reply, response: 'accept', permanent: true });
    expect(await permission()).toMatchObject({ body: { permission: { status: 'permanent' } } });
    await sandbox.control('chat/permission-reply', { ...reply, response: 'revoke' });
    expect(await permission()).toMatchObject({ body: { permission: { status: 'no_permission' } } });
    await eventually(() => expect(notifications('call_permission_reply')).toHaveLength(3));
    expect(notifications('call_permission_reply')).toMatchObject([
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
    await sandbox.control('faults', {
      provider: 'chat',
      operation: 'send_permission_request',
      mode: 'reject',
      times: 1,
    });
    expect(await sendTemplate('welcome', ['Ada', '12'])).toMatchObject({ status: 200 });
    expect(await sendTemplate('may_we_call', [])).toMatchObject({
      status: 400,
      body: { error: { code: 131026 } },
    });
    expect(await sendTemplate('may_we_call', [])).toMatchObject({ status: 200 });
  });
});

test('an inbound message reaches the gateway', async () => {
  const answer = await sandbox.control('chat/inbound', {
    to: senderPhone,
    from: customer,
    text: 'Where is my order? 📦',
    name: 'Ada',
  });
  expect(answer.status).toBe(200);
  await eventually(() =>
    expect(notifications('Where is my order')).toMatchObject([
      {
        metadata: { display_phone_number: '14155552671', phone_number_id: phoneNumberId },
        contacts: [{ profile: { name: 'Ada' }, wa_id: '491701234567' }],
        messages: [{ from: '491701234567', type: 'text', text: { body: 'Where is my order? 📦' } }],
      },
    ]),
  );
});

test('a webhook is repeated until the gateway takes it', async () => {
  sandbox.gatewayAnswers(503);
  await sandbox.control('chat/inbound', { to: senderPhone, from: customer, text: 'again and again' });
  await eventually(() => expect(notifications('again and again').length).toBeGreaterThan(1));
  sandbox.gatewayAnswers(200);
  await eventually(async () => {
    const { body } = await sandbox.read('/control/callbacks?provider=chat');
    const { data } = JSON.parse(JSON.stringify(body));
    expect(data.at(-1)).toMatchObject({ state: 'delivered', event: 'message.text' });
  });
});
