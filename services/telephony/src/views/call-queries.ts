import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { createOwnItemReader, itemsBefore, pageBody, type WantedPage } from '@parley/service-kit';
import { callsTable, customerPhone, isUnderWay } from './calls-view.ts';

export const createCallReader = (sql: SqlExecutor) => createOwnItemReader(sql, 'call', callsTable);

/** A page of an account's calls; null in a filter is any. */
export interface PageOfCalls extends WantedPage {
  readonly accountId: number;
  readonly assistantId: number | null;
  readonly direction: string | null;
  readonly status: string | null;
}

/**
 * A page of the account's calls, newest first, as JSON of the answer. The calls are counted only if the page does not
 * tell the total itself.
 */
export async function listCalls(sql: SqlExecutor, asked: PageOfCalls): Promise<string> {
  const { accountId, assistantId, direction, status, perPage } = asked;
  const wanted = `i.account_id = $1 and ($2::int8 is null or i.assistant_id = $2)
    and ($3::text is null or i.direction = $3) and ($4::text is null or i.status = $4)`;
  const { rows } = await sql.query<{ items: string; total: number }>({
    name: 'list-calls',
    text: `select coalesce(page.items, '') as items,
             case when page.taken < $6 and (page.taken > 0 or $5 = 0) then $5 + page.taken
               else (select count(*) from ${callsTable} i where ${wanted}) end as total
           from (
             select string_agg(c.body, ',' order by c.created_position desc) as items, count(*) as taken
             from (
               select i.created_position from ${callsTable} i where ${wanted}
               order by i.created_position desc offset $5::int8 limit $6::int8
             ) newest
             join ${callsTable} c on c.account_id = $1 and c.created_position = newest.created_position
           ) page`,
    values: [accountId, assistantId, direction, status, itemsBefore(asked), perPage],
  });
  return pageBody(asked, rows[0]);
}

/** Id of the call in a room that the voice platform named; null when there is none. */
export async function findCallByRoom(sql: SqlExecutor, room: string): Promise<number | null> {
  const { rows } = await sql.query<{ id: number }>({
    name: 'call-by-room',
    text: `select i.id from ${callsTable} i where i.room = $1`,
    values: [room],
  });
  return rows[0]?.id ?? null;
}

/** One that nobody has closed does not count once it is older than any call can get, which is 22 minutes. */
const isRecent = `(item ->> 'created_at')::timestamptz > es.now() - interval '1 hour'`;

/** Begun minutes of the calls that came in before this one, and go on: they are not paid yet. */
export async function unpaidMinutes(
  sql: SqlExecutor,
  { accountId, before }: { readonly accountId: number; readonly before: number },
): Promise<number> {
  const { rows } = await sql.query<{ minutes: number }>({
    name: 'unpaid-minutes',
    text: `select sum(greatest(1, ceil(extract(epoch from es.now() - (item ->> 'created_at')::timestamptz) / 60)))::int4 as minutes
           from ${callsTable} where account_id = $1 and ${isUnderWay} and ${isRecent}
             and direction = 'inbound' and assistant_id is not null
             and created_position < (select created_position from ${callsTable} where id = $2)`,
    values: [accountId, before],
  });
  return rows[0]?.minutes ?? 0;
}

/**
 * Whether a call of the account with this number is under way, in either direction and in any spelling of the number.
 */
export async function isOnCall(
  sql: SqlExecutor,
  { accountId, phoneNumber }: { readonly accountId: number; readonly phoneNumber: string },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_on_call: boolean }>({
    name: 'is-on-call',
    text: `select exists (
             select from ${callsTable} where account_id = $1 and ${isUnderWay} and ${customerPhone} = any($2) and ${isRecent}
           ) as is_on_call`,
    values: [accountId, spellingsOf(phoneNumber)],
  });
  return rows[0]?.is_on_call ?? false;
}
