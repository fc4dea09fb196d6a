import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshApi } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { runOnce } from '../support/automations.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { connectedSender, control, freshCustomerNumber, type TestSender } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';

describe('chatapp.send_template', () => {
  let chat: ChatAccount;
  beforeAll(async () => {
    chat = await chatAccount(sharedStack());
  });
  const steps = (template: number, more: object = {}) => [
    {
      id: 'send',
      type: 'chatapp.send_template',
      connection: 'wa',
      input: {
        template_id: template,
        recipient_phone: '{{trigger.phone}}',
        variables: { '1': "{{trigger.name | default: 'there'}}", '2': '{{trigger.order}}' },
      },
      ...more,
    },
    {
      id: 'after',
      type: 'data.map',
      input: {
        status: '{{steps.send.output.status}}',
        conversation: '{{steps.send.output.conversation_uuid}}',
      },
    },
  ];
  const connections = () => ({ connections: { wa: { kind: 'chatapp_sender', id: chat.senderId } } });

  test('sends one message, and later steps see what became of it', async () => {
    const phone = freshCustomerNumber();
    const template = chat.templates.order_ready ?? 0;
    const run = await runOnce(chat.api, steps(template), { phone, order: 7 }, 'SUCCEEDED', connections());
    expect(run.steps).toMatchObject([
      { name: 'send', status: 'SUCCEEDED', classification: 'ok', error: null },
      { name: 'after', status: 'SUCCEEDED' },
    ]);
    expect(await sentTo(sharedStack(), phone)).toHaveLength(1);
  });

  test('sends as many as are wanted to one contact, unless a machine may be answering each of them', async () => {
    const phone = freshCustomerNumber();
    const template = chat.templates.order_ready ?? 0;
    const [send] = steps(template);
    const many = Array.from({ length: 31 }, (_, n) => ({ ...send, id: `send_${n}` }));
    await runOnce(chat.api, many, { phone, order: 7 }, 'SUCCEEDED', connections());
    for (const { id } of many) await control('chat/inbound', { to: chat.senderPhone, from: phone, text: id });
    await eventually(async () => {
      const { body } = await chat.api.get('/api/user/events?types=MessageReceived&limit=100');
      expect(Object(body).data).toHaveLength(many.length);
    });
    const run = await runOnce(chat.api, steps(template), { phone, order: 7 }, 'FAILED', connections());
    const error = expect.stringMatching(/^\[MESSAGING_LIMIT_REACHED\].*a machine/);
    expect(run.steps.at(-1)).toMatchObject({ name: 'send', classification: 'wiring_error', error });
    expect(await sentTo(sharedStack(), phone)).toHaveLength(31);
  });

  test.each([
    ['a template in review', () => chat.templates.in_review ?? 0, 'wiring_error', 'TEMPLATE_NOT_APPROVED'],
    ['a template that is not there', () => 999_999_999, 'missing_record', 'TEMPLATE_NOT_FOUND'],
  ])('%s fails the step as what it is', async (_name, template, classification, code) => {
    const run = await runOnce(
      chat.api,
      steps(template()),
      { phone: freshCustomerNumber(), order: 1 },
      'FAILED',
      connections(),
    );
    expect(run.steps).toMatchObject([
      { name: 'send', status: 'FAILED', classification, error: expect.stringContaining(`[${code}]`) },
    ]);
  });

  test('with too few variables is refused when it is saved', async () => {
    const [send] = steps(chat.templates.order_ready ?? 0);
    const input = {
      template_id: chat.templates.order_ready,
      recipient_phone: '+49',
      variables: { '1': 'x' },
    };
    const flow = { trigger: { type: 'lead.created' }, ...connections(), steps: [{ ...send, input }] };
    expect((await chat.api.post('/api/user/automate/flows', { name: 'Test', flow })).body).toMatchObject({
      error: 'invalid_definition',
      errors: { 'flow.steps.0.input.variables': [expect.stringContaining('order')] },
    });
  });

  test('a number that is none is a wiring error; a sender that is not there, a missing connection', async () => {
    const template = chat.templates.order_ready ?? 0;
    const wrong = await runOnce(
      chat.api,
      steps(template),
      { phone: '+1', order: 1 },
      'FAILED',
      connections(),
    );
    expect(wrong.steps[0]).toMatchObject({
      classification: 'wiring_error',
      error: expect.stringContaining('[INVALID_PHONE]'),
    });
    const away = { connections: { wa: { kind: 'chatapp_sender', id: 999_999_999 } } };
    const gone = await runOnce(
      chat.api,
      steps(template),
      { phone: freshCustomerNumber(), order: 1 },
      'FAILED',
      away,
    );
    expect(gone.steps[0]).toMatchObject({
      classification: 'missing_connection',
      error: expect.stringContaining('[SENDER_NOT_FOUND]'),
    });
    expect(gone.retry).toMatchObject({ possible: true, from_step: 'send' });
  });
});

describe('chatapp.request_call_permission and conversation.enable_ai', () => {
  const voice = { name: 'may_we_call', kind: 'voice_call_request' } as const;
  let api: Api;
  let sender: TestSender;
  beforeAll(async () => {
    api = await freshApi();
    sender = await connectedSender(api, { calling_enabled: true }, [voice]);
  });
  const ask = [
    {
      id: 'ask',
      type: 'chatapp.request_call_permission',
      connection: 'wa',
      input: { recipient_phone: '{{trigger.phone}}' },
    },
  ];
  const connections = () => ({ connections: { wa: { kind: 'chatapp_sender', id: sender.id } } });

  test('asks a customer who has written, once; one who has not is a wiring error', async () => {
    const phone = freshCustomerNumber();
    await control('chat/inbound', { to: sender.phone, from: phone, text: 'Hello' });
    const query = `sender_id=${sender.id}&recipient_phone=${encodeURIComponent(phone)}`;
    await eventually(async () =>
      expect((await api.get(`/api/user/chatapp/voice/permission?${query}`)).body).toMatchObject({
        session_open: true,
      }),
    );
    await runOnce(api, ask, { phone }, 'SUCCEEDED', connections());
    expect((await api.get(`/api/user/chatapp/voice/permission?${query}`)).body).toMatchObject({
      status: 'pending',
    });
    expect(await sentTo(sharedStack(), phone)).toHaveLength(1);
    const closed = await runOnce(api, ask, { phone: freshCustomerNumber() }, 'FAILED', connections());
    expect(closed.steps[0]).toMatchObject({
      classification: 'wiring_error',
      error: expect.stringContaining('[SESSION_CLOSED]'),
    });
  });

  test('lets the assistant answer a conversation again; an unknown one is a missing record', async () => {
    const phone = freshCustomerNumber();
    await control('chat/inbound', { to: sender.phone, from: phone, text: 'Hello' });
    const conversation = await eventually(async () => {
      const { data } = (await api.get('/api/user/conversations')).body as {
        data: { uuid: string; customer_phone: string }[];
      };
      const found = data.find(({ customer_phone }) => customer_phone === phone);
      if (!found) throw new Error('The message has not arrived yet.');
      return found.uuid;
    });
    await api.post(`/api/user/conversations/${conversation}/disable-ai`);
    const enable = [
      { id: 'ai', type: 'conversation.enable_ai', input: { conversation_uuid: '{{trigger.uuid}}' } },
    ];
    await runOnce(api, enable, { uuid: conversation }, 'SUCCEEDED');
    expect((await api.get(`/api/user/conversations/${conversation}`)).body).toMatchObject({
      data: { ai_enabled: true },
    });
    const unknown = await runOnce(api, enable, { uuid: '00000000-0000-4000-8000-000000000000' }, 'FAILED');
    expect(unknown.steps[0]).toMatchObject({
      classification: 'missing_record',
      error: expect.stringContaining('[CONVERSATION_NOT_FOUND]'),
    });
  });
});
