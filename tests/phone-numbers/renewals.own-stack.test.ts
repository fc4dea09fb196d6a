import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';
import { advanceClock, control } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { platformTrunks } from '../support/sip-trunks.ts';
import {
  buy,
  carrierNumbersOf,
  countSilenced,
  invoicesOf,
  numberForSale,
  recordedNumbers,
  setCard,
  subscriptionsOf,
} from '../support/telephony.ts';

/** The approved bundle, and the address, by which numbers of the US are bought here. */
const [bundle_sid, address_sid] = [`BU${'1'.repeat(32)}`, `AD${'2'.repeat(32)}`];

let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ env: { TWILIO_NUMBER_OWNERS: `US=${bundle_sid}+${address_sid}` } });
});
afterAll(async () => {
  await stack?.stop();
});

async function freshApi(): Promise<{ readonly accountId: number; readonly api: Api }> {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { id, key } = await registerTestAccount(bus);
  await bus.close();
  return { accountId: id, api: comingBack(createApi(stack.baseUrl, key)) };
}

const pass = (days: number) => advanceClock(days * 86_400, stack.sandboxUrl);
const shown = async (api: Api) => Object((await api.get('/api/user/phone-numbers/all')).body).data[0];
const fault = (provider: string, operation: string, mode: string, times = 1) =>
  control('faults', { provider, operation, mode, times }, stack.sandboxUrl);

test('of two cards that are put on file at once, the one that is shown is the one that is charged', async () => {
  const { api } = await freshApi();
  await setCard(api);
  // The answer to the slow one's request is lost; what it asked for was done.
  const lost = { provider: 'payments', operation: 'update_customer', mode: 'timeout', times: 1 };
  await control('faults', { ...lost, takes_effect: true }, stack.sandboxUrl);
  const slow = setCard(api);
  await eventually(async () => expect(await countSilenced('payments', 'update_customer', stack)).toBe(1));
  expect((await setCard(api, 'pm_card_chargeDeclined')).status).toBe(200);
  expect((await slow).status).toBe(200);
  const shownCard = Object((await api.get('/api/user/payment-method')).body).data;
  const { status } = await buy(api, await numberForSale(stack));
  expect([shownCard.last4, status]).toEqual(shownCard.last4 === '4242' ? ['4242', 201] : ['0002', 402]);
});

test.each([
  ['an address', '+15005550008'],
  ['a bundle', '+15005550007'],
])('a number that is sold with %s only is bought in the name of the owner that is set', async (_, phone) => {
  const { accountId, api } = await freshApi();
  await setCard(api);
  expect((await buy(api, phone)).status).toBe(201);
  const [recorded] = await recordedNumbers(accountId, stack);
  expect(await carrierNumbersOf(recorded?.purchase_id ?? '', stack)).toMatchObject([
    { bundle_sid, address_sid },
  ]);
});

describe('a subscription', () => {
  test('is renewed every month; a failed renewal leaves the number for a week, and a new card saves it', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    const { paid_until } = await shown(api);
    await pass(32);
    await eventually(async () => expect((await shown(api)).paid_until > paid_until).toBe(true));
    await setCard(api, 'pm_card_chargeDeclined');
    await pass(31);
    await eventually(async () =>
      expect(await shown(api)).toMatchObject({ status: 'past_due', grace_ends_at: expect.any(String) }),
    );
    await setCard(api);
    await pass(3);
    await eventually(async () =>
      expect(await shown(api)).toMatchObject({ status: 'active', grace_ends_at: null }),
    );
    // The grace period that began then ends nothing now.
    await pass(6);
    expect(await shown(api)).toMatchObject({ status: 'active' });
    const [recorded] = await recordedNumbers(accountId, stack);
    expect(recorded?.events.slice(5)).toEqual(['NumberRenewed', 'NumberRenewalFailed', 'NumberRenewed']);
    const paid = (await invoicesOf(recorded?.customer_id ?? '', stack)).map(({ status }) => status);
    expect(paid).toEqual(['paid', 'paid', 'paid']);
  });

  test('that is owed is paid by a new card at once, however little of the grace period is left', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    await setCard(api, 'pm_card_chargeDeclined');
    await pass(31.5);
    await eventually(async () => expect((await shown(api))?.status).toBe('past_due'));
    const { now } = await pass(0);
    const left = (Date.parse((await shown(api)).grace_ends_at) - Date.parse(now)) / 86_400_000;
    // The provider tries again when the grace period ends.
    await pass(left - 1);
    await setCard(api);
    await eventually(async () =>
      expect(await shown(api)).toMatchObject({ status: 'active', grace_ends_at: null }),
    );
    await pass(3);
    expect(await shown(api)).toMatchObject({ status: 'active' });
    const [recorded] = await recordedNumbers(accountId, stack);
    const paid = (await invoicesOf(recorded?.customer_id ?? '', stack)).map(({ status }) => status);
    expect(paid).toEqual(['paid', 'paid']);
  });

  test('that is not paid within its grace period is the end of the number', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    const { id } = await shown(api);
    const assistant = await createAssistant(api, { type: 'inbound', phone_number_id: id });
    await api.delete('/api/user/payment-method');
    await pass(31.5);
    await eventually(async () => expect((await shown(api))?.status).toBe('past_due'));
    await pass(7);
    await eventually(async () => {
      expect(await shown(api)).toBeUndefined();
      const [recorded] = await recordedNumbers(accountId, stack);
      expect(recorded?.events.at(-1)).toBe('NumberReleased');
      expect(await carrierNumbersOf(recorded?.purchase_id ?? '', stack)).toEqual([]);
      expect(await subscriptionsOf(recorded?.customer_id ?? '', stack)).toMatchObject([
        { status: 'canceled' },
      ]);
      expect(await getAssistant(api, assistant)).toMatchObject({ phone_number_id: null });
    });
  });

  test('that ended or was renewed while nobody told us, as during a long outage, is asked about', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    for (let bought = 0; bought < 2; bought += 1)
      expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    const [ended, renewed] = await recordedNumbers(accountId, stack);
    const subscriptions = await subscriptionsOf(ended?.customer_id ?? '', stack);
    const ending = subscriptions.find(({ metadata }) => metadata.purchase_id === ended?.purchase_id);
    await tellNothing();
    await endSubscription(ending?.id ?? '');
    await pass(32);
    // It is renewed before anybody asks, however busy the machine is.
    await eventually(async () =>
      expect(await invoicesOf(renewed?.customer_id ?? '', stack)).toMatchObject(
        Array(3).fill({ status: 'paid' }),
      ),
    );
    await pass(4);
    await eventually(async () => {
      const events = (await recordedNumbers(accountId, stack)).map((number) => number.events.at(-1));
      expect(events).toEqual(['NumberReleased', 'NumberRenewed']);
      expect(await carrierNumbersOf(ended?.purchase_id ?? '', stack)).toEqual([]);
      expect(await shown(api)).toMatchObject({ id: renewed?.id, status: 'active' });
    });
  });
});

/** From now on, and until the test is over, callbacks of the payment provider do not arrive. */
async function tellNothing(): Promise<void> {
  const client = new pg.Client({ connectionString: new URL('/parley_sandbox', stack.databaseUrl).href });
  await client.connect();
  onTestFinished(async () => {
    await client.query('drop function sandbox.lose cascade');
    await client.end();
  });
  await client.query(
    `create function sandbox.lose() returns trigger language plpgsql as
       $$ begin new.state := 'dropped'; return new; end $$;
     create trigger lose before insert on sandbox.callbacks for each row when (new.provider = 'payments')
       execute function sandbox.lose()`,
  );
}

async function endSubscription(id: string): Promise<void> {
  const response = await fetch(`${stack.sandboxUrl}/v1/subscriptions/${id}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer sk_test_sandbox' },
  });
  expect(response.status).toBe(200);
}

/** A client whose request took long is told of the failure while the undoing may still go on. */
const undone = (accountId: number) =>
  eventually(async () => {
    const [recorded] = await recordedNumbers(accountId, stack);
    expect(recorded?.events.slice(-4)).toEqual([
      'NumberPurchaseFailed',
      'NumberSubscriptionCancelled',
      'NumberReturned',
      'NumberPurchaseUndone',
    ]);
    return recorded;
  });

describe('when a provider fails', () => {
  const failed = [502, { error: 'The phone number purchase failed; contact support.' }];

  test.each([
    ['carrier', 'provision', 'reject'],
    ['carrier', 'provision', 'error'],
    ['carrier', 'provision', 'reset'],
    ['carrier', 'provision', 'garbage'],
    ['carrier', 'provision', 'timeout'],
    ['payments', 'create_price', 'reject'],
    ['voice', 'create_trunk', 'reject'],
    ['voice', 'create_trunk', 'error'],
  ])('(%s, %s: %s) a purchase fails, nothing is left of it, and it can be made again', async (...order) => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    const phone = await numberForSale(stack);
    await fault(...order);
    const { status, body } = await buy(api, phone);
    expect([status, body]).toEqual(failed);
    const recorded = await undone(accountId);
    const subscriptions = await subscriptionsOf(recorded?.customer_id ?? '', stack);
    expect(subscriptions.filter(({ status: state }) => state !== 'canceled')).toEqual([]);
    expect(await carrierNumbersOf(recorded?.purchase_id ?? '', stack)).toEqual([]);
    expect((await platformTrunks(stack.sandboxUrl, { phone_number: phone })).inbound).toEqual([]);
    expect((await buy(api, phone)).status).toBe(201);
  });

  test('a declined charge is told as such, whoever declines it', async () => {
    const { api } = await freshApi();
    await setCard(api);
    await fault('payments', 'create_subscription', 'reject');
    const { status, body } = await buy(api, await numberForSale(stack));
    expect([status, body]).toEqual([402, { error: 'The payment failed; update the payment method.' }]);
  });

  test.each(['error', 'reset', 'garbage'])(
    'to answer a charge (%s), it is asked again under the same key and charges once',
    async (mode) => {
      const { accountId, api } = await freshApi();
      await setCard(api);
      await control(
        'faults',
        { provider: 'payments', operation: 'create_subscription', mode, times: 1, takes_effect: true },
        stack.sandboxUrl,
      );
      expect((await buy(api, await numberForSale(stack))).status).toBe(201);
      const [recorded] = await recordedNumbers(accountId, stack);
      expect(await invoicesOf(recorded?.customer_id ?? '', stack)).toHaveLength(1);
    },
  );

  test('while undoing or releasing, it is tried until it is done', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    await fault('payments', 'cancel_subscription', 'error', 2);
    await fault('carrier', 'release', 'error');
    expect((await api.delete(`/api/user/phone-numbers/${(await shown(api)).id}`)).status).toBe(200);
    expect(await shown(api)).toBeUndefined();
    // A minute passes between two looks, however late a try fails and the next one is put off.
    await eventually(
      async () => {
        await pass(60 / 86_400);
        const [recorded] = await recordedNumbers(accountId, stack);
        expect(recorded?.events.at(-1)).toBe('NumberReleased');
      },
      undefined,
      1_000,
    );
  });

  test('and only the answer to the provisioning is lost, the number is found by its reference and kept', async () => {
    const { accountId, api } = await freshApi();
    await setCard(api);
    const fault = {
      provider: 'carrier',
      operation: 'provision',
      mode: 'error',
      times: 1,
      takes_effect: true,
    };
    await control('faults', fault, stack.sandboxUrl);
    expect((await buy(api, await numberForSale(stack))).status).toBe(201);
    const [recorded] = await recordedNumbers(accountId, stack);
    expect(await carrierNumbersOf(recorded?.purchase_id ?? '', stack)).toHaveLength(1);
  });
});
