import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Sender } from '../sender/sender.ts';
import { sendersTable } from './senders-view.ts';

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
      text: `select ${columns} from ${sendersTable} s where s.id = any($1::int8[])`,
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row.id, toSender(row)]));
    return ids.map((id) => byId.get(id));
  });
}

/** Finds senders by the chat platform's id of their number; `undefined` where there is none. */
export function createSenderByNumberLoader(
  sql: SqlExecutor,
): (phoneNumberId: string) => Promise<KnownSender | undefined> {
  return createBatchLoader(async (phoneNumberIds: readonly string[]) => {
    const { rows } = await sql.query<SenderRow>({
      name: 'senders-by-number',
      text: `select ${columns} from ${sendersTable} s where s.phone_number_id = any($1::text[])`,
      values: [phoneNumberIds],
    });
    const byNumber = new Map(rows.map((row) => [row.phoneNumberId, toSender(row)]));
    return phoneNumberIds.map((phoneNumberId) => byNumber.get(phoneNumberId));
  });
}

/** The senders whose numbers belong to this account of the chat platform. */
export async function findSendersOfPlatformAccount(
  sql: SqlExecutor,
  platformAccountId: string,
): Promise<readonly KnownSender[]> {
  const { rows } = await sql.query<SenderRow>({
    name: 'senders-by-platform-account',
    text: `select ${columns} from ${sendersTable} s where s.platform_account_id = $1`,
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
    text: `select ${columns} from ${sendersTable} s where s.assistant_id = $1`,
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
               from ${sendersTable} s
               where s.account_id = w.account_id and (w.status is null or s.status = w.status)
             ) items
             order by w.place`,
      values: [wanted.map(({ accountId }) => accountId), wanted.map(({ status }) => status)],
    });
    return rows.map(({ items }) => items);
  });
