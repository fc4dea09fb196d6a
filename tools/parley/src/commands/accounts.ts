import { randomUUID } from 'node:crypto';
import {
  debitBalance,
  formatMicros,
  issueApiKey,
  type Micros,
  registerAccount,
  topUpBalance,
} from '@parley/contracts';
import { v5 as uuidv5 } from 'uuid';
import type { z } from 'zod';
import { CommandFailed } from '../exit-codes.ts';
import { type Answer, expectOk, type Operator } from '../operator/operator.ts';

interface Printed {
  readonly json: boolean;
}

interface NewAccount extends Printed {
  readonly email: string;
  readonly name: string;
  readonly billingUnit: z.input<typeof registerAccount.input>['billing_unit'];
}

interface NewKey extends Printed {
  readonly account: number;
  readonly name: string;
}

interface Booking extends Printed {
  readonly account: number;
  readonly amount: Micros;
  readonly reference: string;
  readonly description: string;
}

/** Namespace of the command ids of top-ups. It never changes: repeated top-ups would be booked again. */
const topUpSpace = '6b0e7f57-8a3c-4c2e-9d2b-1f6a5e0c7d48';
/** Namespace of the command ids of debits; it never changes either. */
const debitSpace = '94f91c77-b196-41eb-b25c-15e015bf95b0';

export async function register(
  operator: Operator,
  { email, name, billingUnit, json }: NewAccount,
): Promise<void> {
  const account = { email, name, billing_unit: billingUnit };
  const made = expectOk(await operator.tell(registerAccount, account, randomUUID()), 'the account');
  print(json ? JSON.stringify(made) : `account ${made.account_id}`);
}

/** Prints the token alone, so that a shell can take it. */
export async function issueKey(operator: Operator, { account, name, json }: NewKey): Promise<void> {
  const key = { account_id: account, name };
  const made = expectOk(await operator.tell(issueApiKey, key, randomUUID()), `account ${account}`);
  if (made.token === null)
    throw new CommandFailed(
      `The token of key ${made.api_key_id} got lost on its way. Delete that key, and issue another.`,
    );
  print(json ? JSON.stringify(made) : made.token);
}

/**
 * Tops an account up. It takes effect once for ever for each account and reference, so repeat it when the outcome
 * is not known.
 */
export const topUp = (operator: Operator, booking: Booking): Promise<void> =>
  book(operator, topUpBalance, topUpSpace, booking);

/**
 * Debits an account, once for each reference. The references of debits are apart from those of top-ups, so that a
 * chargeback may have the reference of its payment.
 */
export const debit = (operator: Operator, booking: Booking): Promise<void> =>
  book(operator, debitBalance, debitSpace, booking);

async function book(
  operator: Operator,
  message: typeof topUpBalance | typeof debitBalance,
  space: string,
  { account, amount, reference, description, json }: Booking,
): Promise<void> {
  const answer = await operator.tell(
    message,
    { account_id: account, amount_micros: amount, description, reference },
    uuidv5(`${account} ${reference}`, space),
    JSON.stringify([amount, description]),
  );
  const what = `account ${account}`;
  const { available_micros, reserved_micros } = expectOk(unlessBooked(answer, what, reference), what);
  const balance = {
    total_balance: formatMicros(available_micros + reserved_micros),
    available_balance: formatMicros(available_micros),
  };
  print(json ? JSON.stringify(balance) : `${what}  ${balance.total_balance}`);
}

/** Throws the rejections about an `Idempotency-Key` in the words of this command, which has references instead. */
function unlessBooked<T>(answer: Answer<T>, what: string, reference: string): Answer<T> {
  if (answer.kind === 'ok') return answer;
  const { code } = answer.rejection;
  if (code === 'idempotency_key_reuse')
    throw new CommandFailed(`${what}: ${reference} is booked, with another amount or description.`);
  if (code === 'idempotency_key_expired')
    throw new CommandFailed(`${what}: ${reference} is booked, more than a day ago.`);
  return answer;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
