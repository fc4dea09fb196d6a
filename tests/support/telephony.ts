import { randomInt, randomUUID } from 'node:crypto';
import { type OperationSuccess, type purchasePhoneNumber } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { request } from 'undici';
import type { Answer, Api } from './api.ts';
import { readRowsOf } from './database.ts';
import { sharedStack } from './shared-stack.ts';

/** A stack under test; the shared one when absent. */
export interface TelephonyStack {
  readonly sandboxUrl: string;
  readonly databaseUrl: string;
}

export type Purchase = OperationSuccess<typeof purchasePhoneNumber>;
export const purchased = ({ body }: Answer): Purchase['data'] => (body as Purchase).data;

/** A number for sale that hardly anybody else comes across. */
export async function numberForSale(stack: TelephonyStack = sharedStack()): Promise<string> {
  for (;;) {
    const contains = randomInt(1_000, 10_000);
    const path = `AvailablePhoneNumbers/US/Local.json?Contains=${contains}&PageSize=50`;
    const offered = await carrier<{ phone_number: string }>(stack, path, 'available_phone_numbers');
    const chosen = offered[randomInt(Math.max(1, offered.length))];
    if (chosen) return chosen.phone_number;
  }
}

export const setCard = (api: Api, token = 'pm_card_visa'): Promise<Answer> =>
  api.put('/api/user/payment-method', { token });

/**
 * Buys a number under an `Idempotency-Key` of its own, so that a client that comes back gets the answer of the same
 * purchase.
 */
export const buy = (
  api: Api,
  phone_number: string,
  headers: Record<string, string> = { 'idempotency-key': randomUUID() },
): Promise<Answer> => api.post('/api/user/phone-numbers/purchase', { phone_number }, headers);

/** Tries to buy the one number that the carrier offers but no longer has; waits while another test tries it. */
export const buySnatched = (api: Api): Promise<Answer> =>
  eventually(
    async () => {
      const answer = await buy(api, '+15005550009');
      if (answer.text.includes('already in use')) throw new Error('Another test is buying it.');
      return answer;
    },
    undefined,
    500,
  );

/** Buys a number with a card that pays. */
export async function ownNumber(api: Api): Promise<Purchase['data']> {
  await setCard(api);
  const answer = await buy(api, await numberForSale());
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return purchased(answer);
}

export interface RecordedNumber {
  readonly id: number;
  readonly purchase_id: string;
  readonly customer_id: string | null;
  readonly events: readonly string[];
}

/**
 * What telephony has on record about purchases of an account, in the order of the requests; without
 * `NumberPaymentConfirmed`, which comes at any time.
 */
export async function recordedNumbers(
  accountId: number,
  stack: TelephonyStack = sharedStack(),
): Promise<readonly RecordedNumber[]> {
  return readRowsOf<RecordedNumber & { [column: string]: unknown }>(
    stack.databaseUrl,
    'telephony',
    `select substr(stream_id, 8)::int as id, array_agg(type order by position) as events,
       max(data ->> 'purchase_id') as purchase_id, max(data ->> 'customer_id') as customer_id
     from es.events where account_id = ${accountId} and category = 'number' and type <> 'NumberPaymentConfirmed'
     group by stream_id order by min(position)`,
  );
}

interface Subscription {
  readonly id: string;
  readonly status: string;
  readonly metadata: { readonly purchase_id?: string };
}

/** As the payment provider has them, ended ones too. */
export async function subscriptionsOf(
  customerId: string,
  { sandboxUrl }: TelephonyStack = sharedStack(),
): Promise<readonly Subscription[]> {
  return read(`${sandboxUrl}/v1/subscriptions?status=all&customer=${customerId}`, 'Bearer sk_test_sandbox');
}

interface Invoice {
  readonly status: string;
  readonly amount_paid: number;
  readonly parent: { readonly subscription_details: { readonly subscription: string } };
}

export async function invoicesOf(
  customerId: string,
  { sandboxUrl }: TelephonyStack = sharedStack(),
): Promise<readonly Invoice[]> {
  return read(`${sandboxUrl}/v1/invoices?customer=${customerId}`, 'Bearer sk_test_sandbox');
}

const carrierAccount = 'AC00000000000000000000000000000000';

/** As the carrier has them. */
export const carrierNumbersOf = (
  purchaseId: string,
  stack: TelephonyStack = sharedStack(),
): Promise<readonly { readonly phone_number: string }[]> =>
  carrier(stack, `IncomingPhoneNumbers.json?FriendlyName=parley-${purchaseId}`, 'incoming_phone_numbers');

function carrier<T>({ sandboxUrl }: TelephonyStack, path: string, key: string): Promise<readonly T[]> {
  const basic = Buffer.from(`${carrierAccount}:sandbox-twilio-token`).toString('base64');
  return read(`${sandboxUrl}/2010-04-01/Accounts/${carrierAccount}/${path}`, `Basic ${basic}`, key);
}

interface ProviderRequest {
  readonly operation: string;
  readonly idempotency_key: string | null;
  readonly status: number | null;
  /** How it was made to fail; null when it was not. */
  readonly fault: string | null;
}

/** What a provider was asked, in order. */
export async function requestsTo(
  provider: 'carrier' | 'chat' | 'payments' | 'voice',
  { sandboxUrl }: TelephonyStack = sharedStack(),
): Promise<readonly ProviderRequest[]> {
  return read(`${sandboxUrl}/control/requests?provider=${provider}`);
}

/** How many requests of an operation were made to get no answer. Others that are under way are not among them. */
export async function countSilenced(
  provider: 'carrier' | 'chat' | 'payments' | 'voice',
  operation: string,
  stack: TelephonyStack = sharedStack(),
): Promise<number> {
  const requests = await requestsTo(provider, stack);
  return requests.filter((request) => request.operation === operation && request.fault === 'timeout').length;
}

async function read<T>(url: string, authorization?: string, key = 'data'): Promise<T> {
  const answer = await request(url, authorization === undefined ? {} : { headers: { authorization } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${text}`);
  return JSON.parse(text)[key];
}
