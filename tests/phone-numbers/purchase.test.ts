import { randomUUID } from 'node:crypto';
import { purchasePhoneNumber } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, type TestAccount } from '../support/accounts.ts';
import type { Answer, Api } from '../support/api.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { createSipTrunk, platformTrunks } from '../support/sip-trunks.ts';
import {
  buy,
  buySnatched,
  carrierNumbersOf,
  invoicesOf,
  numberForSale,
  ownNumber,
  purchased,
  recordedNumbers,
  setCard,
  subscriptionsOf,
} from '../support/telephony.ts';

let account: TestAccount;
let api: Api;
let other: Api;
beforeEach(async () => {
  account = await freshAccount();
  [api, other] = accountApis(account);
});

const seen = ({ status, body }: Answer) => [status, body];
const inUse = [400, { error: 'The phone number is already in use.' }];
const notAvailable = [
  400,
  { error: 'The phone number is not available for purchase; search for available numbers first.' },
];
const noMethod = [402, { error: 'There is no payment method on file.' }];
const paymentFailed = [402, { error: 'The payment failed; update the payment method.' }];
const unparsable = [
  422,
  { error: 'The phone number cannot be parsed; provide a valid number in E.164 format.' },
];

describe('a purchase', () => {
  test('is answered 201 with the number, which is listed through any gateway', async () => {
    await setCard(api);
    const phone_number = await numberForSale();
    const answer = await buy(api, phone_number);
    expect(answer.status).toBe(201);
    purchasePhoneNumber.success.schema.parse(answer.body);
    expect(purchased(answer)).toEqual({
      id: expect.any(Number),
      phone_number,
      country_code: 'US',
      type: 'local',
      sms_capable: true,
    });
    const { body } = await other.get('/api/user/phone-numbers/all');
    expect(body).toMatchObject({
      data: [
        { ...purchased(answer), type_label: 'Normal', status: 'active', price: '2.00', currency: 'USD' },
      ],
    });
    const [recorded] = await recordedNumbers(account.id);
    expect(recorded?.events).toEqual([
      'NumberPurchaseRequested',
      'NumberPriced',
      'NumberSubscribed',
      'NumberProvisioned',
      'NumberPurchased',
    ]);
    const customer = recorded?.customer_id ?? '';
    expect(await subscriptionsOf(customer)).toMatchObject([
      { status: 'active', metadata: { purchase_id: recorded?.purchase_id } },
    ]);
    expect(await invoicesOf(customer)).toMatchObject([{ status: 'paid', amount_paid: 200 }]);
    expect(await carrierNumbersOf(recorded?.purchase_id ?? '')).toMatchObject([{ phone_number }]);
    const { inbound } = await platformTrunks(sharedStack().sandboxUrl, { phone_number });
    expect(inbound).toMatchObject([{ numbers: [phone_number], allowedNumbers: [] }]);
  });

  test('of a number that others claim for their SIP trunk takes its calls from them', async () => {
    await setCard(api);
    const phone_number = await numberForSale();
    const [squatter] = accountApis(await freshAccount());
    const trunk = await createSipTrunk(squatter, { phone_number });
    expect((await buy(api, phone_number)).status).toBe(201);
    const { inbound } = await platformTrunks(sharedStack().sandboxUrl, { phone_number });
    expect(inbound).toMatchObject([{ numbers: [phone_number], authUsername: '' }]);
    await eventually(async () => {
      const { body } = await squatter.get(`/api/user/phone-numbers/sip-trunks/${trunk.id}`);
      expect(body).toMatchObject({
        data: { inbound_trunk_id: '', outbound_trunk_id: trunk.outbound_trunk_id },
      });
    });
  });

  test('with the same Idempotency-Key is one purchase with one answer', async () => {
    await setCard(api);
    const phone_number = await numberForSale();
    const key = { 'idempotency-key': randomUUID() };
    const first = await buy(api, phone_number, key);
    const again = await buy(other, phone_number, key);
    expect(first.status).toBe(201);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await recordedNumbers(account.id)).toHaveLength(1);
    const reuse = await buy(api, await numberForSale(), key);
    expect([reuse.status, Object(reuse.body).error]).toEqual([422, 'idempotency_key_reuse']);
  });

  test.each(['hello', '', '+1', '12025550123', '+999999999999', '+1415555267100000'])(
    'of %j, which is no number, cannot be parsed',
    async (text) => {
      expect(seen(await buy(api, text))).toEqual(unparsable);
    },
  );

  test.each([{}, { phone_number: null }, { phone_number: 5 }, { phone_number: ['+14155552671'] }])(
    'of %j says what is wrong with the field',
    async (body) => {
      const answer = await api.post('/api/user/phone-numbers/purchase', body);
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ errors: { phone_number: [expect.any(String)] } });
    },
  );

  test('of a number that somebody has is refused, and charges nobody', async () => {
    const { phone_number } = await ownNumber(api);
    const [buyer] = accountApis(await freshAccount());
    await setCard(buyer);
    expect(seen(await buy(buyer, phone_number))).toEqual(inUse);
    expect(seen(await buy(api, phone_number))).toEqual(inUse);
  });

  test.each([
    ['nobody offers', '+14155552671'],
    ['the carrier has sold', '+15005550000'],
    ['the carrier sells to addresses only', '+15005550008'],
  ])('of a number that %s is refused', async (_, phone) => {
    await setCard(api);
    expect(seen(await buy(api, phone))).toEqual(notAvailable);
    expect(await recordedNumbers(account.id)).toEqual([]);
  });

  test('of a number that is snatched away at the last moment is undone: no subscription, the money back', async () => {
    await setCard(api);
    expect(seen(await buySnatched(api))).toEqual(notAvailable);
    // Whoever waited for long is told before all of it is undone.
    const recorded = await eventually(async () => {
      const [found] = await recordedNumbers(account.id);
      expect(found?.events.slice(3)).toEqual([
        'NumberPurchaseFailed',
        'NumberSubscriptionCancelled',
        'NumberReturned',
        'NumberPurchaseUndone',
      ]);
      return found;
    });
    expect(await subscriptionsOf(recorded?.customer_id ?? '')).toMatchObject([{ status: 'canceled' }]);
    expect((await api.get('/api/user/phone-numbers/all')).body).toEqual({ data: [] });
  });

  test('without a payment method is refused before anything happens', async () => {
    expect(seen(await buy(api, await numberForSale()))).toEqual(noMethod);
    await setCard(api);
    await api.delete('/api/user/payment-method');
    expect(seen(await buy(api, await numberForSale()))).toEqual(noMethod);
    expect(await recordedNumbers(account.id)).toEqual([]);
  });

  test('with a card that declines fails, and works once there is another', async () => {
    await setCard(api, 'pm_card_chargeDeclined');
    const phone = await numberForSale();
    expect(seen(await buy(api, phone))).toEqual(paymentFailed);
    const [failed] = await recordedNumbers(account.id);
    expect(await subscriptionsOf(failed?.customer_id ?? '')).toEqual([]);
    await setCard(api, 'pm_card_mastercard');
    expect((await buy(api, phone)).status).toBe(201);
  });
});
