import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Sender } from '../sender/sender.ts';
import { connectedSenders, sendersTable } from './senders-view.ts';

/** A sender as it is now, and the account that it belongs to. */
export type KnownSender = NonNullable<Sender> & { readonly accountId: number };

type SenderRow = Omit<KnownSender, 'displayName'> & { readonly displayNameJson: string };

const columns = `s.id, s.account_id as "accountId", s.phone_number as "phoneNumber",
  s.phone_number_id as "phoneNumberId", s.platform_account_id as "platformAccountId",
  s.display_name_json as "displayNameJson", s.status, s.quality_rating as "qualityRating",
  s.messaging_limit as "messagingLimit", s.voice_calling_enabled as "voiceCallingEnabled",
  s.assistant_id as "assistantId"`;

const toSender = ({ displayNameJson, ...row }: SenderRow): KnownSender => ({
  ...row,
  displayName: JSON.parse(displayNameJson),
});

/** Finds senders by id, those of one tick in one statement; `undefined` where there is none. */
export function createSenderLoader(sql: SqlExecutor): (id: number) => Promise<KnownSender | undefined> {
  return createBatchLoader(async (ids: readonly number[]) => {
    const { rows } = await sql.query<SenderRow>({
      name: 'senders-by-id',
      text: `select ${columns} from ${connectedSenders} s where s.id = any($1::int8[])`,
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row.id, toSender(row)]));
    return ids.map((id) => byId.get(id));
  });
}

/**
 * Whether another account had the sender's number at `at` or since: what happened then is not for the one that has it now.
 * To the second, as the chat platform tells times.
 */
export const wasAnothers = (at: string): string => `exists (
  select from ${sendersTable} before
  where before.phone_number_id = s.phone_number_id and before.account_id <> s.account_id
    and date_trunc('second', before.disconnected_at) > ${at})`;

/** What happened to a number. */
export interface OfNumber {
  /** The chat platform's id of the number. */
  readonly phoneNumberId: string;
  /** When it happened (ISO 8601): for who has the number, unless another account had it then. Null: for all that ever had it. */
  readonly at: string | null;
}

/** Finds the senders that something is for that happened to a number; the one that has it now comes first. */
export function createSendersByNumberLoader(
  sql: SqlExecutor,
): (happened: OfNumber) => Promise<readonly KnownSender[]> {
  return createBatchLoader(async (happened: readonly OfNumber[]) => {
    const { rows } = await sql.query<SenderRow & { readonly place: number }>({
      name: 'senders-by-number',
      text: `select w.place, ${columns}
             from unnest($1::text[], $2::timestamptz[]) with ordinality w (phone_number_id, at, place)
             cross join lateral (
               select * from ${connectedSenders} s
               where s.phone_number_id = w.phone_number_id and (w.at is null or not ${wasAnothers('w.at')})
               union all
               select * from ${sendersTable} s
               where s.phone_number_id = w.phone_number_id and s.disconnected_at is not null and w.at is null
             ) s
             order by w.place, s.disconnected_at desc nulls first`,
      values: [happened.map(({ phoneNumberId }) => phoneNumberId), happened.map(({ at }) => at)],
    });
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return happened.map((_, index) =>
      (byPlace.get(index + 1) ?? []).map(({ place: _, ...row }) => toSender(row)),
    );
  });
}

/** The senders whose numbers belong to this account of the chat platform. */
export async function findSendersOfPlatformAccount(
  sql: SqlExecutor,
  platformAccountId: string,
): Promise<readonly KnownSender[]> {
  const { rows } = await sql.query<SenderRow>({
    name: 'senders-by-platform-account',
    text: `select ${columns} from ${connectedSenders} s where s.platform_account_id = $1`,
    values: [platformAccountId],
  });
  return rows.map(toSender);
}

/** The senders on which this assistant replies. */
export async function findSendersOfAssistant(
  sql: SqlExecutor,
  assistantId: number,
): Promise<readonly KnownSender[]> {
  const { rows } = await sql.query<SenderRow>({
    name: 'senders-by-assistant',
    text: `select ${columns} from ${connectedSenders} s where s.assistant_id = $1`,
    values: [assistantId],
  });
  return rows.map(toSender);
}

export interface WantedSenders {
  readonly accountId: number;
  /** Only senders with this status; all of them when `null`. */
  readonly status: 'online' | 'offline' | null;
}

/** Lists of senders, newest first, as JSON texts joined by commas; the lists of one tick are read in one statement. */
export const createSenderLists = (sql: SqlExecutor): ((wanted: WantedSenders) => Promise<string>) =>
  createBatchLoader(async (wanted: readonly WantedSenders[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: 'list-senders',
      text: `select coalesce(items.items, '') as items
             from unnest($1::int8[], $2::text[]) with ordinality w (account_id, status, place)
             cross join lateral (
               select string_agg(s.body, ',' order by s.created_position desc) as items
               from ${connectedSenders} s
               where s.account_id = w.account_id and (w.status is null or s.status = w.status)
             ) items
             order by w.place`,
      values: [wanted.map(({ accountId }) => accountId), wanted.map(({ status }) => status)],
    });
    return rows.map(({ items }) => items);
  });
