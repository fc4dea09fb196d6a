import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { knowledgebasesView } from './knowledgebases-view.ts';
import { itemsTable } from './organisers-view.ts';

interface OwnKnowledgebase {
  readonly accountId: number;
  readonly id: number;
}

/** The account's knowledgebase as JSON text, `null` when it has none of that id; the questions of a tick are one statement. */
export const createKnowledgebaseReader = (
  sql: SqlExecutor,
): ((asked: OwnKnowledgebase) => Promise<{ readonly body: string; readonly version: number } | null>) =>
  createBatchLoader(async (asked: readonly OwnKnowledgebase[]) => {
    const { rows } = await sql.query<{ body: string | null; version: number }>({
      name: 'get-knowledgebase',
      text: `select i.body, i.version from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${itemsTable(knowledgebasesView)} i on i.id = w.id and i.account_id = w.account_id
             order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ body, version }) => (body === null ? null : { body, version }));
  });

/** All of an account's knowledgebases, newest first, as JSON text joined by commas. */
export const createKnowledgebaseList = (sql: SqlExecutor): ((accountId: number) => Promise<string>) =>
  createBatchLoader(async (accountIds: readonly number[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: 'list-knowledgebases',
      text: `select coalesce(string_agg(i.body, ',' order by i.created_position desc), '') as items
             from unnest($1::int8[]) with ordinality w (account_id, place)
             left join ${itemsTable(knowledgebasesView)} i on i.account_id = w.account_id
             group by w.place order by w.place`,
      values: [accountIds],
    });
    return rows.map(({ items }) => items);
  });
