import type { listAssignablePhoneNumbers, listPhoneNumbers, OperationSuccess } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { shownPrice } from '../number/prices.ts';
import { numbersTable } from './numbers-view.ts';

type NumberKind = 'normal' | 'sip' | 'caller_id';

const typeLabels = { normal: 'Normal', sip: 'SIP', caller_id: 'Caller ID' } as const;
const isOwned = `n.status in ('active', 'past_due')`;
/** The collation is that of the index: with another one Postgres passes the index over. */
const phoneColumn = 'n.phone_number collate "C"';

/** Whether any account has bought the number, or is buying it. */
export async function isTaken(sql: SqlExecutor, phoneNumber: string): Promise<boolean> {
  return (await takenAmong(sql, [phoneNumber])).has(phoneNumber);
}

/** Those of the numbers that any account has bought, or is buying. */
export async function takenAmong(
  sql: SqlExecutor,
  phoneNumbers: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql.query<{ phone_number: string }>({
    name: 'taken-numbers',
    text: `select n.phone_number from ${numbersTable} n
           where ${phoneColumn} = any($1) and n.kind = 'normal' and n.status in ('buying', 'active', 'past_due')`,
    values: [phoneNumbers],
  });
  return new Set(rows.map(({ phone_number }) => phone_number));
}

/** Id of the number that a request has begun to buy; `null` when there is none. */
export async function findNumberOfCommand(sql: SqlExecutor, commandId: string): Promise<number | null> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'number-of-command',
    text: `select n.id from ${numbersTable} n where n.command_id collate "C" = $1`,
    values: [commandId],
  });
  return rows[0]?.id ?? null;
}

interface KnownNumber {
  readonly id: number;
  readonly phone_number: string;
  readonly country_code: string;
  readonly kind: NumberKind;
}

interface FoundNumber extends KnownNumber {
  /** False for a number that is for SMS alone; one of which nobody noted it may be called. */
  readonly takes_calls: boolean;
}

/** A bought number or SIP trunk that the account has; `null` for any other id. */
export async function findNumber(
  sql: SqlExecutor,
  { accountId, id }: { readonly accountId: number; readonly id: number },
): Promise<FoundNumber | null> {
  const { rows } = await sql.query<FoundNumber>({
    name: 'number-by-id',
    text: `select n.id, n.phone_number, n.country_code, n.kind, n.voice_capable is not false as takes_calls
           from ${numbersTable} n
           where n.id = $1 and n.account_id = $2 and ${isOwned}`,
    values: [id, accountId],
  });
  return rows[0] ?? null;
}

/** Ids of all numbers that accounts have bought. */
export async function findBoughtNumbers(sql: SqlExecutor): Promise<readonly number[]> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'bought-numbers',
    text: `select n.id from ${numbersTable} n where n.kind = 'normal' and ${isOwned} order by n.id`,
  });
  return rows.map(({ id }) => id);
}

/** Ids of the account's numbers whose renewal is owed. */
export async function findPastDueNumbers(sql: SqlExecutor, accountId: number): Promise<readonly number[]> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'past-due-numbers',
    text: `select n.id from ${numbersTable} n where n.account_id = $1 and n.status = 'past_due' order by n.id`,
    values: [accountId],
  });
  return rows.map(({ id }) => id);
}

export interface NumberOfAccount extends Omit<KnownNumber, 'phone_number'> {
  readonly account_id: number;
}

/**
 * Milliseconds by which clocks may differ: a number bought later than that after a call began was not the one called.
 */
const clockToleranceMs = 60_000;

/**
 * Bought numbers and trunks with this number, of any account, for a call that began at `calledAt` (ISO 8601). Left out
 * is who got the number after that, when another account had it before.
 */
export async function findNumbersByPhone(
  sql: SqlExecutor,
  { phone, calledAt }: { readonly phone: string; readonly calledAt: string },
): Promise<readonly NumberOfAccount[]> {
  const { rows } = await sql.query<NumberOfAccount>({
    name: 'numbers-by-phone',
    text: `select n.id, n.account_id, n.country_code, n.kind from ${numbersTable} n
           where ${phoneColumn} = $1 and ${isOwned} and (
             n.created_at::timestamptz <= $2 or not exists (
               select from ${numbersTable} before
               where before.phone_number = $1 and before.status = 'gone' and before.account_id <> n.account_id
                 and before.created_at::timestamptz <= $2
             )
           )
           order by n.id`,
    values: [phone, new Date(Date.parse(calledAt) + clockToleranceMs)],
  });
  return rows;
}

/**
 * The account's number for an SMS to a country (null: unknown): one of that country first, then the one that it has had
 * longest; `null` when none can send SMS.
 */
export async function findSmsNumber(
  sql: SqlExecutor,
  { accountId, country }: { readonly accountId: number; readonly country: string | null },
): Promise<{ readonly id: number; readonly phone_number: string } | null> {
  const { rows } = await sql.query<{ id: number; phone_number: string }>({
    name: 'sms-number',
    text: `select n.id, n.phone_number from ${numbersTable} n
           where n.account_id = $1 and n.sms_capable and n.kind = 'normal' and ${isOwned}
           order by n.country_code is distinct from $2, n.id limit 1`,
    values: [accountId, country],
  });
  return rows[0] ?? null;
}

type Listed = Omit<OperationSuccess<typeof listPhoneNumbers>['data'][number], 'type_label' | 'price'> & {
  readonly kind: NumberKind;
  readonly price_cents: number | null;
};

/** All numbers and trunks of an account, newest first. */
async function ownNumbers(sql: SqlExecutor, accountId: number): Promise<readonly Listed[]> {
  const { rows } = await sql.query<Listed>({
    name: 'own-numbers',
    text: `select n.id, n.kind, n.phone_number, n.country_code, n.type, n.sms_capable, n.voice_capable, n.nickname, n.status,
             n.price_cents, n.currency, n.paid_until, n.grace_ends_at, n.created_at
           from ${numbersTable} n where n.account_id = $1 and ${isOwned} order by n.position desc`,
    values: [accountId],
  });
  return rows;
}

/** The account's bought numbers and SIP trunks, newest first, as the API lists them. */
export async function listOwnNumbers(
  sql: SqlExecutor,
  accountId: number,
): Promise<OperationSuccess<typeof listPhoneNumbers>> {
  const numbers = await ownNumbers(sql, accountId);
  return {
    data: numbers.map(({ kind, price_cents, currency, ...number }) => ({
      ...number,
      type_label: typeLabels[kind],
      ...(price_cents === null || currency === null
        ? { price: null, currency: null }
        : shownPrice({ amountCents: price_cents, currency })),
    })),
  };
}

/**
 * The account's numbers as assistants may use them. `assigned`: ids of numbers on which an inbound assistant answers.
 */
export async function listAssignable(
  sql: SqlExecutor,
  accountId: number,
  assigned: ReadonlySet<number>,
): Promise<OperationSuccess<typeof listAssignablePhoneNumbers>> {
  const numbers = await ownNumbers(sql, accountId);
  return numbers.map(({ id, kind, phone_number, country_code, voice_capable }) => ({
    id,
    phone_number,
    country_code,
    type_label: typeLabels[kind],
    is_available: kind !== 'caller_id' && voice_capable !== false && !assigned.has(id),
  }));
}
