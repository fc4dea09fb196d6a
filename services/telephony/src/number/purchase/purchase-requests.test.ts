import type { NumberEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore, type SqlExecutor } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import type { Carrier, Payments, VoicePlatform } from '@parley/providers';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { PaymentMethods } from '../../payment-method/payment-methods.ts';
import { InboundLines } from '../../voice/inbound-lines.ts';
import { numberCategory, numberStream } from '../number.ts';
import { numberPriceConfig } from '../prices.ts';
import { NumberWork } from './number-work.ts';
import { offer } from './offer.fixture.ts';
import { ProviderSteps } from './provider-steps.ts';
import { PurchaseRequests } from './purchase-requests.ts';

const [requested] = golden<Extract<NumberEvent, { type: 'NumberPurchaseRequested' }>>(
  'NumberPurchaseRequested.v1',
);
if (!requested) throw new Error('There is no purchase.');
const { number_id: id, command_id, phone_number } = requested.data;
const metadata = {
  correlationId: 'request-1',
  causationId: 'command-1',
  commandId: command_id,
  actor: { kind: 'system', id: 'test' },
} as const;

/** A request to buy a number, of an account that has no payment method. */
function buy(
  wanted: string,
  {
    aggregates = new Aggregates(createInMemoryEventStore()),
    sql = { query: async () => ({ rows: [], rowCount: 0 }) },
    search,
    prices = {},
  }: {
    readonly aggregates?: Aggregates;
    readonly sql?: SqlExecutor;
    readonly search: Carrier['search'];
    readonly prices?: z.input<typeof numberPriceConfig>;
  },
) {
  const carrier = { search } as Partial<Carrier> as Carrier;
  const payments = {} as Payments;
  const methods = new PaymentMethods(aggregates, payments);
  const logger = createLogger({ service: 'test', level: 'silent' });
  const lines = new InboundLines({} as VoicePlatform);
  const sold = numberPriceConfig.parse(prices);
  const steps = new ProviderSteps(carrier, payments, methods, lines, sold);
  const work = new NumberWork(aggregates, steps, logger, new AbortController().signal);
  const command = { commandId: command_id ?? '', fingerprint: null };
  return new PurchaseRequests(aggregates, sql, carrier, methods, work, sold).buy(wanted, 3, {
    metadata,
    command,
  });
}

/** A request for a number that another copy begins to buy for that very request while this one looks at it. */
function requestTwice(seen: { readonly isTaken: boolean }) {
  const store = createInMemoryEventStore();
  let isBegun = false;
  const begin = async () => {
    isBegun = true;
    const at = { streamId: numberStream(id), category: numberCategory, accountId: 3 };
    await store.append({ ...at, events: [requested as NumberEvent], expectedVersion: 0, metadata });
  };
  const answers: Readonly<Record<string, () => Promise<readonly object[]>>> = {
    'number-of-command': async () => (isBegun ? [{ id }] : []),
    async 'taken-numbers'() {
      await begin();
      return seen.isTaken ? [{ phone_number }] : [];
    },
  };
  const sql = {
    query: async ({ name = '' }) => ({ rows: (await answers[name]?.()) ?? [] }),
  } as SqlExecutor;
  const search: Carrier['search'] = async () => ({ kind: 'ok', value: [] });
  return buy(phone_number, { aggregates: new Aggregates(store), sql, search });
}

test.each([
  ['in use', { isTaken: true }],
  ['no longer offered', { isTaken: false }],
])('a request that finds its own number %s is told that it is still running', async (_, seen) => {
  expect(await requestTwice(seen)).toEqual({
    kind: 'rejected',
    rejection: { code: 'idempotency_in_progress' },
  });
});

test.each([
  ['+447624123456', 'the Isle of Man', 'GB'],
  ['+358181234567', 'Åland', 'FI'],
  ['+390669812345', 'the Vatican', 'IT'],
])('%s, of %s, can be bought where the carrier sells it as one of %s', async (phoneNumber, _, soldAs) => {
  const sold = { ...offer, phoneNumber, country: soldAs };
  const search: Carrier['search'] = async ({ country }) => ({
    kind: 'ok',
    value: country === soldAs ? [sold] : [],
  });
  // It was found: that is what is looked at next.
  expect(await buy(phoneNumber, { search })).toMatchObject({ rejection: { code: 'no_payment_method' } });
});

test.each([
  ['DE=2.50,US toll_free=4.00', 'number_not_available'],
  ['US local=2.00', 'no_payment_method'],
])('of %s a local number of the United States is %s', async (PRICE_NUMBERS, code) => {
  const search: Carrier['search'] = async () => ({ kind: 'ok', value: [offer] });
  expect(await buy(offer.phoneNumber, { search, prices: { PRICE_NUMBERS } })).toMatchObject({
    rejection: { code },
  });
});
