import { eventually } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';
import { runOnce, startReceiver } from '../support/automations.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { connectedSender, control, freshCustomerNumber, type TestSender } from '../support/chat-platform.ts';

const apiOf = async (): Promise<Api> => accountApis(await freshAccount())[0];
const idOf = async (api: Api, path: string, body: object): Promise<number> =>
  ((await api.post(path, body)).body as { data: { id: number } }).data.id;
const campaignOf = (api: Api) => idOf(api, '/api/user/campaign', { name: 'Own', channel: 'sms', body: 'Hi' });

describe('chatapp.send_template', () => {
  let chat: ChatAccount;
  beforeAll(async () => {
    chat = await chatAccount(inject('stack'));
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
    expect(await sentTo(inject('stack'), phone)).toHaveLength(1);
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
    api = await apiOf();
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
    expect(await sentTo(inject('stack'), phone)).toHaveLength(1);
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

describe('lead.add, assistant.set_label, assistant.set_folder, data.map', () => {
  test('adds one lead; an unknown campaign is a missing record', async () => {
    const api = await apiOf();
    const campaign = await campaignOf(api);
    const add = [
      {
        id: 'add',
        type: 'lead.add',
        input: {
          campaign_id: '{{trigger.campaign}}',
          phone_number: '+14155552671',
          variables: { name: '{{trigger.name}}' },
        },
      },
    ];
    await runOnce(api, add, { campaign, name: 'Ada' }, 'SUCCEEDED');
    expect((await api.get(`/api/user/leads?campaign_id=${campaign}`)).body).toMatchObject({
      total: 1,
      data: [{ phone_number: '+14155552671', variables: { name: 'Ada' } }],
    });
    const unknown = await runOnce(api, add, { campaign: 999_999_999, name: 'Ada' }, 'FAILED');
    expect(unknown.steps[0]).toMatchObject({
      classification: 'missing_record',
      error: expect.stringContaining('[CAMPAIGN_NOT_FOUND]'),
    });
  });

  test('tags an assistant beside its labels, and moves it into a folder and out of it', async () => {
    const api = await apiOf();
    const [old, label] = [
      await idOf(api, '/api/user/label', { name: 'Old' }),
      await idOf(api, '/api/user/label', { name: 'New' }),
    ];
    const folder = await idOf(api, '/api/user/folder', { name: 'Folder' });
    const assistant = await createAssistant(api, { label_ids: [old] });
    const tag = {
      id: 'tag',
      type: 'assistant.set_label',
      input: { assistant_id: '{{trigger.a}}', label_id: '{{trigger.l}}' },
    };
    const move = {
      id: 'move',
      type: 'assistant.set_folder',
      input: { assistant_id: '{{trigger.a}}', folder_id: '{{trigger.f}}' },
    };
    await runOnce(api, [tag, move], { a: assistant, l: label, f: folder }, 'SUCCEEDED');
    expect(await getAssistant(api, assistant)).toMatchObject({
      folder_id: folder,
      label_ids: expect.arrayContaining([old, label]),
    });
    await runOnce(api, [move], { a: assistant, f: null }, 'SUCCEEDED');
    expect(await getAssistant(api, assistant)).toMatchObject({ folder_id: null });
    for (const [step, event, code] of [
      [tag, { a: 999_999_999, l: label }, 'ASSISTANT_NOT_FOUND'],
      [tag, { a: assistant, l: 999_999_999 }, 'LABEL_NOT_FOUND'],
      [move, { a: assistant, f: 999_999_999 }, 'FOLDER_NOT_FOUND'],
    ] as const) {
      const run = await runOnce(api, [step], event, 'FAILED');
      expect(run.steps[0]).toMatchObject({
        classification: 'missing_record',
        error: expect.stringContaining(`[${code}]`),
      });
    }
  });
});

describe('http.request', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver(({ url }, count) => {
      const status = Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200);
      if (
        url.startsWith('/once-busy') &&
        !receiver.received.slice(0, count).some((earlier) => earlier.url === url)
      )
        return { status: 503 };
      return {
        status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ echo: receiver.received[count]?.headers.authorization ?? null }),
      };
    });
  });
  afterAll(() => receiver?.close());
  const step = (input: object, more: object = {}) => ({
    id: 'call',
    type: 'http.request',
    input: { method: 'POST', ...input },
    ...more,
  });
  const at = (url: string) => receiver.received.filter((request) => request.url === url);

  test('calls once, with a key of its own, and reads what is answered', async () => {
    const api = await apiOf();
    const url = `${receiver.url}/orders?x=1`;
    const call = step({
      url,
      query: { y: '{{trigger.n}}' },
      json: { text: 'n = {{trigger.n}}' },
      headers: { 'X-Own': 'a' },
    });
    const steps = [
      call,
      {
        id: 'map',
        type: 'data.map',
        input: { s: '{{steps.call.output.status}}', e: '{{steps.call.output.body.echo}}' },
      },
    ];
    await runOnce(api, steps, { n: 3 }, 'SUCCEEDED');
    expect(at('/orders?x=1&y=3')).toMatchObject([
      {
        method: 'POST',
        body: '{"text":"n = 3"}',
        headers: {
          'content-type': 'application/json',
          'x-own': 'a',
          'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
    ]);
  });

  test('tries again where that helps, with the same key', async () => {
    const api = await apiOf();
    await runOnce(api, [step({ url: `${receiver.url}/once-busy` })], {}, 'SUCCEEDED');
    const [first, second] = at('/once-busy');
    expect(at('/once-busy')).toHaveLength(2);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  test.each([
    ['401', '/status/401', 'missing_connection', 'HTTP_401'],
    ['403', '/status/403', 'missing_connection', 'HTTP_403'],
    ['422', '/status/422', 'wiring_error', 'HTTP_422'],
    ['404', '/status/404', 'wiring_error', 'HTTP_404'],
    ['404 of a templated address', '/{{trigger.part}}/404', 'missing_record', 'HTTP_404'],
    ['a redirection', '/status/302', 'wiring_error', 'HTTP_302'],
  ])('%s fails the step as what it is, asked once', async (_name, path, classification, code) => {
    const api = await apiOf();
    const before = receiver.received.length;
    const run = await runOnce(api, [step({ url: receiver.url + path })], { part: 'status' }, 'FAILED');
    expect(run.steps).toMatchObject([{ classification, error: expect.stringContaining(`[${code}]`) }]);
    expect(receiver.received.length - before).toBe(1);
  });

  test('reaches no private address, and says so', async () => {
    const api = await apiOf();
    const run = await runOnce(api, [step({ url: 'http://169.254.169.254/latest' })], {}, 'FAILED');
    expect(run.steps).toMatchObject([
      { classification: 'wiring_error', error: expect.stringContaining('[URL_REFUSED]') },
    ]);
  });

  test('shows a connection’s secret to the other side only, and heals when it is replaced', async () => {
    const api = await apiOf();
    const path = '/api/user/automate/connections';
    const secret = 'a-very-secret-token';
    const created = await api.post(path, { name: 'CRM', kind: 'http_bearer', secret });
    const { id } = (created.body as { data: { id: number } }).data;
    const flow = {
      connections: { crm: { kind: 'http_bearer', id: `con_${id}` } },
    };
    const call = step({ url: `${receiver.url}/crm` }, { connection: 'crm' });
    const keep = { id: 'keep', type: 'data.map', input: { echo: '{{steps.call.output.body.echo}}' } };
    const run = await runOnce(api, [call, keep], {}, 'SUCCEEDED', flow);
    expect(at('/crm').map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
    await api.delete(`${path}/${id}`);
    const again = await api.post(`/api/user/automate/flows/${run.automationId}/test`, {
      confirm_side_effects: true,
    });
    const { run_id } = again.body as { run_id: string };
    const failed = await eventually(async () => {
      const { body, text } = await api.get(
        `/api/user/automate/flows/${run.automationId}/runs?run_id=${run_id}`,
      );
      expect(body).toMatchObject({
        run: {
          status: 'FAILED',
          steps: [
            {
              classification: 'missing_connection',
              error: expect.stringContaining('[CONNECTION_NOT_FOUND]'),
            },
          ],
        },
      });
      return text;
    });
    const shown = [
      created.text,
      failed,
      (await api.get(path)).text,
      (await api.get(`/api/user/automate/flows/${run.automationId}`)).text,
    ];
    for (const text of shown) expect(text).not.toContain(secret);
  });
});
