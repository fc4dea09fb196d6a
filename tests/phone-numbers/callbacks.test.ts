import { createHmac } from 'node:crypto';
import { eventually } from '@parley/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls, type TestAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { postCallback } from '../support/chat-callbacks.ts';
import { readRows } from '../support/database.ts';
import { ownNumber, type Purchase, recordedNumbers, subscriptionsOf } from '../support/telephony.ts';

let account: TestAccount;
let api: Api;
let number: Purchase['data'];
let subscription: string;
let purchase: string;
beforeEach(async () => {
  account = await freshAccount();
  [api] = accountApis(account);
  number = await ownNumber(api);
  const [recorded] = await recordedNumbers(account.id);
  const [found] = await subscriptionsOf(recorded?.customer_id ?? '');
  subscription = found?.id ?? '';
  purchase = recorded?.purchase_id ?? '';
});

const signed = (body: string, secret = 'whsec_sandbox', at = Math.floor(Date.now() / 1000)) => ({
  'stripe-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
});
const tell = (body: string, headers: Record<string, string> = signed(body), gateway = 0) =>
  postCallback(gatewayUrls()[gateway] ?? '', body, headers, '/hooks/payments/stripe');

const day = 86_400;
const dueAt = Math.floor(Date.now() / 1000);
/** The month after the one that the purchase has paid for. */
const paidUntil = dueAt + 62 * day;

interface Renewal {
  readonly eventId: string;
  readonly invoiceId: string;
  readonly attempt?: number;
  readonly isPaid?: boolean;
}

const renewal = ({ eventId, invoiceId, attempt = 1, isPaid = false }: Renewal): string =>
  JSON.stringify({
    id: `evt_${eventId}_${number.id}`,
    object: 'event',
    type: isPaid ? 'invoice.paid' : 'invoice.payment_failed',
    data: {
      object: {
        id: `in_${invoiceId}_${number.id}`,
        object: 'invoice',
        billing_reason: 'subscription_cycle',
        amount_due: 200,
        currency: 'usd',
        attempt_count: attempt,
        created: dueAt,
        parent: {
          type: 'subscription_details',
          subscription_details: {
            subscription,
            metadata: { number_id: String(number.id), account_id: String(account.id), purchase_id: purchase },
          },
        },
        lines: { data: [{ period: { start: dueAt, end: paidUntil } }] },
      },
    },
  });

const history = async () => (await recordedNumbers(account.id))[0]?.events.slice(5);
const shown = async () => Object((await api.get('/api/user/phone-numbers/all')).body).data[0];

describe('a callback of the payment provider', () => {
  test.each([
    ['no signature', () => ({})],
    ['a signature of another secret', (body: string) => signed(body, 'whsec_other')],
    ['a signature of another body', () => signed('{}')],
    ['an old signature', (body: string) => signed(body, 'whsec_sandbox', 1_600_000_000)],
    ['nonsense', () => ({ 'stripe-signature': 't=1,v1=zz' })],
  ])('with %s is 401 and changes nothing', async (_, headers) => {
    const body = renewal({ eventId: 'a', invoiceId: '1' });
    const answer = await tell(body, headers(body) as Record<string, string>);
    expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized"}']);
    expect(await history()).toEqual([]);
  });

  test('of an unknown provider is 404, one that cannot be read 400, one about others is taken and passed over', async () => {
    const body = renewal({ eventId: 'a', invoiceId: '1' });
    const unknown = await postCallback(gatewayUrls()[0] ?? '', body, signed(body), '/hooks/payments/paypal');
    expect(unknown.status).toBe(404);
    expect((await tell('not json')).status).toBe(400);
    const strange = JSON.stringify({ id: 'evt_x', type: 'charge.refunded', data: { object: {} } });
    expect((await tell(strange)).status).toBe(200);
    const foreign = body.replaceAll(subscription, 'sub_of_somebody_else');
    expect((await tell(foreign)).status).toBe(200);
    expect(await history()).toEqual([]);
  });

  test('about a failed renewal is effective once, through any gateway; the number works on until its grace ends', async () => {
    const body = renewal({ eventId: 'a', invoiceId: '1' });
    const answers = await Promise.all([0, 1, 0, 1].map((gateway) => tell(body, signed(body), gateway)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await history()).toEqual(['NumberRenewalFailed']);
    expect(await shown()).toMatchObject({
      status: 'past_due',
      grace_ends_at: new Date((dueAt + 7 * day) * 1000).toISOString(),
    });
  });

  const told: readonly Renewal[] = [
    { eventId: 'a', invoiceId: '1', attempt: 1 },
    { eventId: 'b', invoiceId: '1', attempt: 2 },
    { eventId: 'c', invoiceId: '1', isPaid: true },
  ];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  test.each(orders)(
    'and those before and after it come to the same in the order %i, %i, %i',
    async (...order) => {
      for (const index of [...order, ...order]) {
        const news = told[index];
        if (news) expect((await tell(renewal(news))).status).toBe(200);
      }
      expect(await shown()).toMatchObject({
        status: 'active',
        grace_ends_at: null,
        paid_until: new Date(paidUntil * 1000).toISOString(),
      });
      expect((await history())?.filter((type) => type === 'NumberRenewed')).toHaveLength(1);
    },
  );
});

test('the confirmation of the first payment is on record once, as caused by the request that bought', async () => {
  const told = await eventually(async () => {
    const rows = await readRows<{ type: string; request: string }>(
      'telephony',
      `select type, metadata ->> 'correlationId' as request from es.events
       where stream_id = 'number-${number.id}' and type in ('NumberPurchaseRequested', 'NumberPaymentConfirmed')
       order by type`,
    );
    expect(rows.map(({ type }) => type)).toEqual(['NumberPaymentConfirmed', 'NumberPurchaseRequested']);
    return rows;
  });
  expect(new Set(told.map(({ request }) => request)).size).toBe(1);
});
