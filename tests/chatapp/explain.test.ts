import { explainSend } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { notification, postCallback } from '../support/chat-callbacks.ts';
import { control, freshCustomerNumber, platformTemplate } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { balanceOf, errorOf, greeting, patiently, sendPath, sentBody } from './sending.ts';

const ask = (from: ChatAccount, to: string, template: string | number = 'greeting', more = '') =>
  from.api.get(
    `${sendPath}/explain?sender_id=${from.senderId}&template_id=${from.templates[template] ?? template}&recipient_phone=${encodeURIComponent(to)}${more}`,
  );

async function explained(...about: Parameters<typeof ask>) {
  const answer = await ask(...about);
  expect(answer.status, answer.text).toBe(200);
  const { can_send, rules, at } = explainSend.success.schema.parse(answer.body);
  return { can_send, at, rule: (name: string) => rules.find(({ rule }) => rule === name), rules };
}

/** The codes of what failed; the rate limit, which has none, is passed over: other tests use it up. */
const failed = (rules: Awaited<ReturnType<typeof explained>>['rules']) =>
  rules.flatMap(({ verdict, error_code }) => (verdict === 'failed' && error_code !== null ? error_code : []));

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

describe('what a send would be told', () => {
  test('is yes where everything is fine, and nothing is sent, paid or counted', async () => {
    const to = freshCustomerNumber();
    const from = await chatAccount(sharedStack());
    const before = await balanceOf(from.api);
    for (let time = 0; time < 8; time += 1) {
      const { can_send, rule } = await explained(from, to);
      expect(can_send).toBe(true);
      expect(rule('rate_limit')?.details).toEqual({ limit: 5, remaining: 5 });
      expect(rule('sender_online')?.event?.type).toBe('SenderConnected');
      expect(rule('template_approved')?.event?.type).toBe('TemplateAdded');
      expect(rule('balance')).toMatchObject({
        details: { price_micros: 50_000, available_micros: 100_000_000 },
        event: { type: 'BalanceToppedUp' },
      });
    }
    expect(await balanceOf(from.api)).toEqual(before);
    expect(await sentTo(sharedStack(), to)).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    ['a pending template', 'in_review', '+491701234567', 'TEMPLATE_NOT_APPROVED'],
    ['a rejected template', 'refused', '+491701234567', 'TEMPLATE_NOT_APPROVED'],
    ['an unknown template', '999999999', '+491701234567', 'TEMPLATE_NOT_FOUND'],
    ['no phone number', 'greeting', '+12', 'INVALID_PHONE'],
    ['missing variables', 'order_ready', '+491701234567', 'VARIABLES_MISSING'],
  ])('of %s is what the send is told', async (_, template, to, code) => {
    expect(failed((await explained(chat, to, template)).rules)).toEqual([code]);
    const template_id = chat.templates[template] ?? Number(template);
    const sent = await patiently(() => chat.api.post(sendPath, { ...greeting(chat, to), template_id }));
    expect(errorOf(sent).error_code).toBe(code);
  });

  test('flips with the variables', async () => {
    const variables = `&variables=${encodeURIComponent(JSON.stringify({ 1: 'Ada', order: 17 }))}`;
    const { rule } = await explained(chat, freshCustomerNumber(), 'order_ready', variables);
    expect(rule('variables')?.verdict).toBe('passed');
    const broken = `&variables=${encodeURIComponent(JSON.stringify({ 1: 'Ada', order: '17\n18' }))}`;
    const refused = await explained(chat, freshCustomerNumber(), 'order_ready', broken);
    expect(refused.rule('variables')).toMatchObject({
      verdict: 'failed',
      error_code: 'VARIABLES_MISSING',
      details: { unsendable: ['order'] },
    });
    for (const wrong of ['Ada', '[1]', '{"1":{}}'])
      expect(
        errorOf(
          await ask(chat, freshCustomerNumber(), 'order_ready', `&variables=${encodeURIComponent(wrong)}`),
        ),
      ).toEqual({ status: 422, error_code: 'VALIDATION_FAILED' });
  });

  test('does not tell a foreign template from an unknown one, and a foreign sender is not found', async () => {
    const other = await chatAccount(sharedStack());
    const to = freshCustomerNumber();
    const foreign = await explained(chat, to, other.templates.greeting);
    const unknown = await explained(chat, to, 999_999_999);
    expect(foreign.rules.slice(1)).toEqual(unknown.rules.slice(1));
    const { status, body } = await ask({ ...chat, senderId: other.senderId }, to);
    expect([status, body]).toMatchObject([404, { error_code: 'SENDER_NOT_FOUND' }]);
  });

  test('of an offline sender is what the send is told', async () => {
    const from = await chatAccount(sharedStack(), { online: false });
    const to = freshCustomerNumber();
    expect(failed((await explained(from, to)).rules)).toEqual(['SENDER_OFFLINE']);
    expect(errorOf(await from.api.post(sendPath, greeting(from, to))).error_code).toBe('SENDER_OFFLINE');
  });

  test('flips with the approval of the template', async () => {
    const from = await chatAccount(sharedStack());
    const to = freshCustomerNumber();
    expect(failed((await explained(from, to, 'in_review')).rules)).toEqual(['TEMPLATE_NOT_APPROVED']);
    await platformTemplate(from.senderPhone, {
      name: 'in_review',
      category: 'marketing',
      status: 'approved',
      body_text: 'Soon',
    });
    const { waba_id } = await control<{ waba_id: string }>('chat/senders', {
      phone_number: from.senderPhone,
    });
    const told = { event: 'APPROVED', message_template_id: 1 };
    const [gateway = ''] = sharedStack().gatewayUrls;
    await postCallback(gateway, notification(waba_id, 'message_template_status_update', told));
    await eventually(async () => {
      const { can_send, rule } = await explained(from, to, 'in_review');
      expect(can_send).toBe(true);
      expect(rule('template_approved')?.event?.type).toBe('TemplateStatusChanged');
    });
  });

  test('flips with the last place of the messaging limit, and says when it becomes free', async () => {
    const from = await chatAccount(sharedStack(), { messagingLimit: 1 });
    const [known, other] = [freshCustomerNumber(), freshCustomerNumber()];
    expect((await explained(from, other)).rule('messaging_limit')).toMatchObject({
      verdict: 'passed',
      details: { limit: 1, used: 0 },
      event: null,
    });
    sentBody(await from.api.post(sendPath, greeting(from, known)));
    const full = (await explained(from, other)).rule('messaging_limit');
    expect(full).toMatchObject({
      verdict: 'failed',
      error_code: 'MESSAGING_LIMIT_REACHED',
      details: { limit: 1, used: 1 },
      event: { type: 'MessageSendStarted' },
    });
    const waits = Date.parse(full?.flips_at ?? '') - Date.parse(full?.event?.occurred_at ?? '');
    expect(Math.abs(waits - 24 * 60 * 60 * 1_000)).toBeLessThan(60_000);
    expect((await explained(from, known)).can_send).toBe(true);
  });

  test('flips with the balance', async () => {
    const from = await chatAccount(sharedStack(), { balance: 0.05 });
    const to = freshCustomerNumber();
    expect((await explained(from, to)).can_send).toBe(true);
    sentBody(await from.api.post(sendPath, greeting(from, to)));
    expect(failed((await explained(from, to)).rules)).toEqual(['INSUFFICIENT_BALANCE']);
    await eventually(async () =>
      expect((await explained(from, to)).rule('balance')).toMatchObject({
        details: { price_micros: 50_000, available_micros: 0 },
        event: { type: 'BalanceCaptured' },
      }),
    );
  });

  test('flips with the rate limit, and says when it passes again', async () => {
    const from = await chatAccount(sharedStack());
    const to = freshCustomerNumber();
    // The window is a second of real time: seen refused in one of the bursts, however slow the machine is.
    const refused = await eventually(async () => {
      const [report] = await Promise.all([
        from.api.post(sendPath, greeting(from, to)).then(() => explained(from, to)),
        ...Array.from({ length: 11 }, () => from.api.post(sendPath, greeting(from, to))),
      ]);
      const limit = report.rule('rate_limit');
      if (limit?.verdict !== 'failed') throw new Error('Not refused yet.');
      return { ...limit, at: report.at };
    });
    expect(refused).toMatchObject({ details: { limit: 5, remaining: 0 } });
    expect(Date.parse(refused.flips_at ?? '')).toBeGreaterThan(Date.parse(refused.at));
    await eventually(async () => expect((await explained(from, to)).can_send).toBe(true));
  });
});
