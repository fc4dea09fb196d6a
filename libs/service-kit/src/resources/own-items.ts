import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { notFoundReply, textReply } from '../requests/replies.ts';

export interface OwnItem {
  readonly accountId: number;
  readonly id: number;
}

export interface RenderedItem {
  /** JSON text. */
  readonly body: string;
  readonly version: number;
}

/** The answer of a single item's query; `null` is not found. */
export const itemReply = (item: RenderedItem | null): BusReply =>
  item ? { kind: 'ok', body: `{"data":${item.body}}`, version: item.version } : notFoundReply();

/** The answer of a list's query, of JSON texts joined by commas. */
export const itemsReply = (items: string): BusReply => textReply(`{"data":[${items}]}`);

/**
 * An account's item as a view's table has it rendered (`id`, `account_id`, `body`, `version`); `null` when the account
 * has none of that id. The questions of a tick are one statement, whose name is that of the items and of no others.
 */
export const createOwnItemReader = (
  sql: SqlExecutor,
  name: string,
  table: string,
): ((asked: OwnItem) => Promise<RenderedItem | null>) =>
  createBatchLoader(async (asked: readonly OwnItem[]) => {
    const { rows } = await sql.query<{ body: string | null; version: number }>({
      name: `get-${name}`,
      text: `select i.body, i.version from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${table} i on i.id = w.id and i.account_id = w.account_id order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ body, version }) => (body === null ? null : { body, version }));
  });

/** All of an account's items in such a table, newest first, as JSON text joined by commas. */
export const createOwnItemList = (
  sql: SqlExecutor,
  name: string,
  table: string,
): ((accountId: number) => Promise<string>) =>
  createBatchLoader(async (accountIds: readonly number[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: `list-${name}`,
      text: `select coalesce(string_agg(i.body, ',' order by i.created_position desc), '') as items
             from unnest($1::int8[]) with ordinality w (account_id, place)
             left join ${table} i on i.account_id = w.account_id
             group by w.place order by w.place`,
      values: [accountIds],
    });
    return rows.map(({ items }) => items);
  });
