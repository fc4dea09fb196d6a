import {
  disableConversationAi,
  enableConversationAi,
  getConversation,
  getMe,
  getSessionStatus,
  listConversations,
  sendChatAppTemplate,
  sendFreeform,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { Answer } from '../support/api.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';

const send = '/api/user/chatapp/send';
const freeform = '/api/user/chatapp/send-freeform';
const unknownUuid = '0193e2a0-0000-7000-8000-00000000dead';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(inject('stack'));
});

const greeting = (to: string, from: ChatAccount = chat) => ({
  sender_id: from.senderId,
  template_id: from.templates.greeting,
  recipient_phone: to,
});
const sentBody = ({ status, body, text }: Answer) => {
  expect(status, text).toBe(200);
  return sendChatAppTemplate.success.schema.parse(body);
};
const errorOf = ({ status, body }: Answer) => ({ status, error_code: Object(body).error_code });
const readConversation = async (uuid: string, from: ChatAccount = chat) => {
  const answer = await from.api.get(`/api/user/conversations/${uuid}`);
  expect(answer.status, answer.text).toBe(200);
  return getConversation.success.schema.parse(answer.body).data;
};
const balanceOf = async (from: ChatAccount) =>
  getMe.success.schema.parse((await from.api.get('/api/user/me')).body);

/** Sends are limited to five a second: patient ones come again. */
async function patiently(post: () => Promise<Answer>): Promise<Answer> {
  return eventually(async () => {
    const answer = await post();
    if (answer.status === 429) throw new Error(answer.text);
    return answer;
  }, 30_000);
}

describe('a template send', () => {
  test('is answered with its ids, charged once, and told to the platform once', async () => {
    const from = await chatAccount(inject('stack'));
    const to = freshCustomerNumber();
    const sent = sentBody(
      await from.api.post(send, {
        sender_id: from.senderId,
        template_id: from.templates.order_ready,
        recipient_phone: to,
        recipient_name: 'Ada',
        variables: { 1: 'Ada', order: '17' },
      }),
    );
    expect(['sent', 'delivered']).toContain(sent.status);
    expect(sent.message_sid).toMatch(/^wamid\./);
    expect(await sentTo(inject('stack'), to)).toHaveLength(1);
    const conversation = await readConversation(sent.conversation_uuid, from);
    expect(conversation).toMatchObject({
      id: sent.conversation_id,
      customer_phone: to,
      customer_name: 'Ada',
      ai_enabled: true,
      messages: [
        {
          id: sent.message_id,
          text: 'Hello Ada, order 17 is ready.',
          author: 'person',
          direction: 'outbound',
        },
      ],
    });
    expect(await balanceOf(from)).toMatchObject({ total_balance: '99.95', reserved_balance: '0.00' });
  });

  test('goes into the conversation that there is', async () => {
    const to = freshCustomerNumber();
    const first = sentBody(await patiently(() => chat.api.post(send, greeting(to))));
    const second = sentBody(await patiently(() => chat.api.post(send, greeting(to))));
    expect(second.conversation_uuid).toBe(first.conversation_uuid);
    expect(second.message_id).not.toBe(first.message_id);
    expect((await readConversation(first.conversation_uuid)).messages.map(({ id }) => id)).toEqual([
      second.message_id,
      first.message_id,
    ]);
  });

  test('under one Idempotency-Key is sent once and answered with the same bytes', async () => {
    const to = freshCustomerNumber();
    const headers = { 'idempotency-key': `send-${to}` };
    const first = await patiently(() => chat.api.post(send, greeting(to), headers));
    const again = await patiently(() => chat.api.post(send, greeting(to), headers));
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await sentTo(inject('stack'), to)).toHaveLength(1);
    const other = await patiently(() => chat.api.post(send, greeting(freshCustomerNumber()), headers));
    expect(errorOf(other)).toEqual({ status: 422, error_code: 'IDEMPOTENCY_KEY_REUSE' });
  });

  test.each<[string, number, string, (to: string) => object]>([
    ['without a template', 422, 'VALIDATION_FAILED', (to) => ({ ...greeting(to), template_id: undefined })],
    [
      'from an unknown sender',
      404,
      'SENDER_NOT_FOUND',
      (to) => ({ ...greeting(to), sender_id: 999_999_999 }),
    ],
    [
      'with an unknown template',
      404,
      'TEMPLATE_NOT_FOUND',
      (to) => ({ ...greeting(to), template_id: 999_999_999 }),
    ],
    [
      'with a pending template',
      422,
      'TEMPLATE_NOT_APPROVED',
      (to) => ({ ...greeting(to), template_id: chat.templates.in_review }),
    ],
    [
      'with a rejected template',
      422,
      'TEMPLATE_NOT_APPROVED',
      (to) => ({ ...greeting(to), template_id: chat.templates.refused }),
    ],
    ['to no phone number', 422, 'INVALID_PHONE', () => greeting('+12')],
    [
      'without its variables',
      422,
      'VARIABLES_MISSING',
      (to) => ({ ...greeting(to), template_id: chat.templates.order_ready }),
    ],
  ])('%s is %i %s', async (_, status, error_code, body) => {
    const to = freshCustomerNumber();
    const answer = await patiently(() => chat.api.post(send, body(to)));
    expect(errorOf(answer)).toEqual({ status, error_code });
    expect(await sentTo(inject('stack'), to)).toEqual([]);
  });

  test('from an offline sender is SENDER_OFFLINE', async () => {
    const offline = await chatAccount(inject('stack'), { online: false });
    const answer = await offline.api.post(send, greeting(freshCustomerNumber(), offline));
    expect(errorOf(answer)).toEqual({ status: 422, error_code: 'SENDER_OFFLINE' });
  });

  test('without money is INSUFFICIENT_BALANCE, and nothing is sent', async () => {
    const poor = await chatAccount(inject('stack'), { balance: 0 });
    const to = freshCustomerNumber();
    const headers = { 'idempotency-key': 'poor' };
    const answer = await poor.api.post(send, greeting(to, poor), headers);
    expect(errorOf(answer)).toEqual({ status: 402, error_code: 'INSUFFICIENT_BALANCE' });
    const again = await poor.api.post(send, greeting(to, poor), headers);
    expect(errorOf(again)).toEqual({ status: 402, error_code: 'INSUFFICIENT_BALANCE' });
    expect(await sentTo(inject('stack'), to)).toEqual([]);
  });

  test('five a second are let through, the sixth is told when to come again', async () => {
    const from = await chatAccount(inject('stack'));
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => from.api.post(send, greeting(freshCustomerNumber(), from))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    expect(refused[0]?.body).toEqual({ success: false, message: 'Too Many Attempts.', retry_after: 1 });
    expect(refused[0]?.headers['x-ratelimit-limit']).toBe('5');
  });

  test("to more recipients than the sender's limit is MESSAGING_LIMIT_REACHED, to known ones is not", async () => {
    const limited = await chatAccount(inject('stack'), { messagingLimit: 3 });
    const phones = Array.from({ length: 5 }, freshCustomerNumber);
    const answers = await Promise.all(
      phones.map((to) => patiently(() => limited.api.post(send, greeting(to, limited)))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(errorOf(answer)).toEqual({ status: 422, error_code: 'MESSAGING_LIMIT_REACHED' });
    const known = phones[answers.findIndex(({ status }) => status === 200)] ?? '';
    sentBody(await patiently(() => limited.api.post(send, greeting(known, limited))));
    expect(Number((await balanceOf(limited)).total_balance)).toBeCloseTo(100 - 4 * 0.05);
  });
});

describe('what the platform reports', () => {
  test('moves the status forward only, in whatever order it comes', async () => {
    const sent = sentBody(await patiently(() => chat.api.post(send, greeting(freshCustomerNumber()))));
    const statusOf = async () => (await readConversation(sent.conversation_uuid)).messages[0]?.status;
    const report = (status: string) =>
      control('chat/message-status', { message_sid: sent.message_sid, status });
    await report('read');
    await eventually(async () => expect(await statusOf()).toBe('read'));
    await report('delivered');
    await report('failed');
    const marker = sentBody(await patiently(() => chat.api.post(send, greeting(freshCustomerNumber()))));
    await control('chat/message-status', {
      message_sid: marker.message_sid,
      status: 'delivered',
    });
    await eventually(async () =>
      expect((await readConversation(marker.conversation_uuid)).messages[0]?.status).toBe('delivered'),
    );
    expect(await statusOf()).toBe('read');
  });
});

describe('the 24-hour window', () => {
  const session = async (to: string) =>
    getSessionStatus.success.schema.parse(
      (
        await chat.api.get(
          `/api/user/chatapp/session-status?sender_id=${chat.senderId}&recipient_phone=${encodeURIComponent(to)}`,
        )
      ).body,
    );
  const text = (to: string, message = 'Hello') =>
    chat.api.post(freeform, { sender_id: chat.senderId, recipient_phone: to, message });

  test('is closed before anything was written', async () => {
    const to = freshCustomerNumber();
    expect(await session(to)).toMatchObject({
      session_open: false,
      freeform_open: false,
      conversation_uuid: null,
    });
    expect(errorOf(await text(to))).toEqual({ status: 422, error_code: 'SESSION_EXPIRED' });
  });

  test('opens for text by our template, and the session by the contact only', async () => {
    const to = freshCustomerNumber();
    const sent = sentBody(await patiently(() => chat.api.post(send, greeting(to))));
    expect(await session(to)).toMatchObject({
      session_open: false,
      freeform_open: true,
      conversation_uuid: sent.conversation_uuid,
    });
    await control('chat/inbound', { to: chat.senderPhone, from: to, text: 'Hi' });
    await eventually(async () => expect(await session(to)).toMatchObject({ session_open: true }));
  });

  test('lets a person write, who takes over from the assistant', async () => {
    const to = freshCustomerNumber();
    await control('chat/inbound', {
      to: chat.senderPhone,
      from: to,
      text: 'Hi',
      name: 'Grace',
    });
    await eventually(async () => expect(await session(to)).toMatchObject({ freeform_open: true }));
    const answer = await text(to, 'How can I help?');
    const sent = sendFreeform.success.schema.parse(answer.body);
    const conversation = await readConversation(sent.conversation_uuid);
    expect(conversation).toMatchObject({ ai_enabled: false, customer_name: 'Grace' });
    expect(conversation.messages.map(({ author }) => author)).toEqual(['person', 'contact']);
    expect(await sentTo(inject('stack'), to)).toHaveLength(1);
  });

  test.each([
    ['from an unknown sender', { sender_id: 999_999_999 }, 404, 'SENDER_NOT_FOUND'],
    ['to no phone number', { recipient_phone: '12' }, 422, 'INVALID_PHONE'],
    ['of more than 4096 characters', { message: 'x'.repeat(4_097) }, 422, 'VALIDATION_FAILED'],
    ['of no characters', { message: '' }, 422, 'VALIDATION_FAILED'],
  ])('a text %s is refused', async (_, change, status, error_code) => {
    const body = {
      sender_id: chat.senderId,
      recipient_phone: freshCustomerNumber(),
      message: 'Hi',
      ...change,
    };
    expect(errorOf(await chat.api.post(freeform, body))).toEqual({ status, error_code });
  });

  test('of an unknown sender is not shown', async () => {
    const query = `sender_id=999999999&recipient_phone=${encodeURIComponent(freshCustomerNumber())}`;
    const answer = await chat.api.get(`/api/user/chatapp/session-status?${query}`);
    expect(errorOf(answer)).toEqual({ status: 404, error_code: 'SENDER_NOT_FOUND' });
  });
});

describe('conversations', () => {
  test('are listed newest first, by cursor', async () => {
    const from = await chatAccount(inject('stack'));
    const uuids: string[] = [];
    for (let i = 0; i < 3; i += 1)
      uuids.unshift(
        sentBody(await from.api.post(send, greeting(freshCustomerNumber(), from))).conversation_uuid,
      );
    const page = async (query: string) =>
      listConversations.success.schema.parse((await from.api.get(`/api/user/conversations${query}`)).body);
    const first = await page('?per_page=2');
    const second = await page(`?per_page=2&cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ uuid }) => uuid)).toEqual(uuids);
    expect(second.next_cursor).toBeNull();
    expect((await from.api.get('/api/user/conversations?cursor=x')).status).toBe(422);
  });

  test('let AI replies be switched off and on', async () => {
    const { conversation_uuid: uuid } = sentBody(
      await patiently(() => chat.api.post(send, greeting(freshCustomerNumber()))),
    );
    const off = await chat.api.post(`/api/user/conversations/${uuid}/disable-ai`);
    expect(off.status).toBe(200);
    expect(disableConversationAi.success.schema.parse(off.body)).toEqual({ status: true, ai_enabled: false });
    expect(await readConversation(uuid)).toMatchObject({ ai_enabled: false });
    const on = await chat.api.post(`/api/user/conversations/${uuid}/enable-ai`);
    expect(enableConversationAi.success.schema.parse(on.body)).toEqual({ status: true, ai_enabled: true });
    expect(await readConversation(uuid)).toMatchObject({ ai_enabled: true });
  });

  test.each(['enable-ai', 'disable-ai'])(
    'that do not exist, or are malformed, are not found: %s',
    async (action) => {
      for (const uuid of [unknownUuid, 'abc', '1'])
        expect(await chat.api.post(`/api/user/conversations/${uuid}/${action}`)).toMatchObject({
          status: 404,
          body: { status: false, error: 'Conversation not found' },
        });
    },
  );
});
