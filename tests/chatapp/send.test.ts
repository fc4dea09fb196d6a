import { randomUUID } from 'node:crypto';
import { findSentMessage } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { ask, sharedBus } from '../support/accounts.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { dataOfEvents } from '../support/sms.ts';
import {
  balanceOf,
  burst,
  errorOf,
  greeting,
  patiently,
  readConversation,
  sendGreeting,
  sendPath,
  sentBody,
} from './sending.ts';

/** So much of the money, and nothing set aside: a send is paid before it is answered, or soon afterwards. */
const isLeft = ({ api }: ChatAccount, total_balance: string) =>
  eventually(async () =>
    expect(await balanceOf(api)).toMatchObject({ total_balance, reserved_balance: '0.00' }),
  );

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

describe('a template send', () => {
  test('is found by the command that it was asked for by, by its own account only', async () => {
    const from = await chatAccount(sharedStack());
    const { message_id } = sentBody(await sendGreeting(sharedStack(), from, freshCustomerNumber()));
    const [started] = await dataOfEvents(from.api, 'MessageSendStarted');
    const find = async (command_id: string, accountId: number) =>
      ask(await sharedBus(), findSentMessage, { command_id }, 10_000, accountId);
    const commandId = String(started?.command_id);
    expect(await find(commandId, from.account.id)).toEqual({ reference: String(message_id) });
    for (const [id, accountId] of [
      [commandId, chat.account.id],
      [randomUUID(), from.account.id],
    ] as const)
      await expect(find(id, accountId)).rejects.toThrow('not_found');
  });

  test('is answered with its ids, charged once, and told to the platform once', async () => {
    const from = await chatAccount(sharedStack());
    const to = freshCustomerNumber();
    const sent = sentBody(
      await from.api.post(sendPath, {
        sender_id: from.senderId,
        template_id: from.templates.order_ready,
        recipient_phone: to,
        recipient_name: 'Ada',
        variables: { 1: 'Ada', order: '17' },
      }),
    );
    expect(['sent', 'delivered']).toContain(sent.status);
    expect(sent.message_sid).toMatch(/^wamid\./);
    expect(await sentTo(sharedStack(), to)).toHaveLength(1);
    const conversation = await readConversation(from, sent.conversation_uuid);
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
    await isLeft(from, '99.95');
  });

  test('goes into the conversation that there is', async () => {
    const to = freshCustomerNumber();
    const first = sentBody(await patiently(() => chat.api.post(sendPath, greeting(chat, to))));
    const second = sentBody(await patiently(() => chat.api.post(sendPath, greeting(chat, to))));
    expect(second.conversation_uuid).toBe(first.conversation_uuid);
    expect(second.message_id).not.toBe(first.message_id);
    expect((await readConversation(chat, first.conversation_uuid)).messages.map(({ id }) => id)).toEqual([
      second.message_id,
      first.message_id,
    ]);
  });

  test('under one Idempotency-Key is sent once and answered with the same bytes', async () => {
    const to = freshCustomerNumber();
    const headers = { 'idempotency-key': `send-${to}` };
    const first = await patiently(() => chat.api.post(sendPath, greeting(chat, to), headers));
    const again = await patiently(() => chat.api.post(sendPath, greeting(chat, to), headers));
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await sentTo(sharedStack(), to)).toHaveLength(1);
    const other = await patiently(() =>
      chat.api.post(sendPath, greeting(chat, freshCustomerNumber()), headers),
    );
    expect(errorOf(other)).toEqual({ status: 422, error_code: 'IDEMPOTENCY_KEY_REUSE' });
  });

  test.each<[string, number, string, (to: string) => object]>([
    [
      'without a template',
      422,
      'VALIDATION_FAILED',
      (to) => ({ ...greeting(chat, to), template_id: undefined }),
    ],
    [
      'from an unknown sender',
      404,
      'SENDER_NOT_FOUND',
      (to) => ({ ...greeting(chat, to), sender_id: 999_999_999 }),
    ],
    [
      'with an unknown template',
      404,
      'TEMPLATE_NOT_FOUND',
      (to) => ({ ...greeting(chat, to), template_id: 999_999_999 }),
    ],
    [
      'with a pending template',
      422,
      'TEMPLATE_NOT_APPROVED',
      (to) => ({ ...greeting(chat, to), template_id: chat.templates.in_review }),
    ],
    [
      'with a rejected template',
      422,
      'TEMPLATE_NOT_APPROVED',
      (to) => ({ ...greeting(chat, to), template_id: chat.templates.refused }),
    ],
    ['to no phone number', 422, 'INVALID_PHONE', () => greeting(chat, '+12')],
    [
      'without its variables',
      422,
      'VARIABLES_MISSING',
      (to) => ({ ...greeting(chat, to), template_id: chat.templates.order_ready }),
    ],
    [
      'with a line break in a variable',
      422,
      'VARIABLES_MISSING',
      (to) => ({
        ...greeting(chat, to),
        template_id: chat.templates.order_ready,
        variables: { 1: 'Ada', order: '17\n18' },
      }),
    ],
  ])('%s is %i %s', async (_, status, error_code, body) => {
    const to = freshCustomerNumber();
    const answer = await patiently(() => chat.api.post(sendPath, body(to)));
    expect(errorOf(answer)).toEqual({ status, error_code });
    expect(await sentTo(sharedStack(), to)).toEqual([]);
  });

  test('from an offline sender is SENDER_OFFLINE', async () => {
    const offline = await chatAccount(sharedStack(), { online: false });
    const answer = await offline.api.post(sendPath, greeting(offline, freshCustomerNumber()));
    expect(errorOf(answer)).toEqual({ status: 422, error_code: 'SENDER_OFFLINE' });
  });

  test('without money is INSUFFICIENT_BALANCE, and nothing is sent', async () => {
    const poor = await chatAccount(sharedStack(), { balance: 0 });
    const to = freshCustomerNumber();
    const headers = { 'idempotency-key': 'poor' };
    const answer = await poor.api.post(sendPath, greeting(poor, to), headers);
    expect(errorOf(answer)).toEqual({ status: 402, error_code: 'INSUFFICIENT_BALANCE' });
    const again = await poor.api.post(sendPath, greeting(poor, to), headers);
    expect(errorOf(again)).toEqual({ status: 402, error_code: 'INSUFFICIENT_BALANCE' });
    expect(await sentTo(sharedStack(), to)).toEqual([]);
  });

  test('five a second are let through, the sixth is told when to come again', async () => {
    const from = await chatAccount(sharedStack());
    const answers = await burst(40, () => from.api.post(sendPath, greeting(from, freshCustomerNumber())));
    const sent = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40 - sent.length);
    expect(refused[0]?.body).toEqual({ success: false, message: 'Too Many Attempts.', retry_after: 1 });
    expect(refused[0]?.headers['x-ratelimit-limit']).toBe('5');
  });

  test("to more recipients than the sender's limit is MESSAGING_LIMIT_REACHED, to known ones is not", async () => {
    const limited = await chatAccount(sharedStack(), { messagingLimit: 3 });
    const phones = Array.from({ length: 5 }, freshCustomerNumber);
    const answers = await Promise.all(phones.map((to) => sendGreeting(sharedStack(), limited, to)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect(errorOf(answer)).toEqual({ status: 422, error_code: 'MESSAGING_LIMIT_REACHED' });
    const known = phones[answers.findIndex(({ status }) => status === 200)] ?? '';
    sentBody(await sendGreeting(sharedStack(), limited, known));
    await isLeft(limited, '99.80');
  });

  test('with money for ten, fifty times at once: ten are sent, and the money is gone', async () => {
    const from = await chatAccount(sharedStack(), { balance: 0.5 });
    const phones = Array.from({ length: 50 }, freshCustomerNumber);
    const answers = await Promise.all(phones.map((to) => sendGreeting(sharedStack(), from, to)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 200).map(errorOf);
    const noMoney = { status: 402, error_code: 'INSUFFICIENT_BALANCE' };
    expect(refused).toEqual(Array.from({ length: 40 }, () => noMoney));
    await isLeft(from, '0.00');
    const sent = await sentTo(sharedStack());
    expect(sent.filter(({ to }) => phones.includes(to))).toHaveLength(10);
  });
});
