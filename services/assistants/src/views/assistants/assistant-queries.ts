import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { createOwnItemReader, itemsBefore, type OwnPage } from '@parley/service-kit';
import { assistantsTable, assistantTotalsTable } from './assistants-view.ts';

export const createAssistantReader = (sql: SqlExecutor) =>
  createOwnItemReader(sql, 'assistant', assistantsTable);

/** A page of assistants, and how many the account has in all (`total`). */
export interface AssistantPage {
  /** The resources as JSON text, joined by commas. */
  readonly items: string;
  readonly taken: number;
  readonly total: number;
}

/**
 * How many pages one statement reads, of each account in turn: pages may be large, so memory stays small, and nobody
 * waits for many pages of another.
 */
const pagesAtOnce = 4;

/** Pages of an account's assistants, newest first; the pages of a tick share statements. */
export const createAssistantPages = (sql: SqlExecutor): ((page: OwnPage) => Promise<AssistantPage>) =>
  createBatchLoader(
    async (pages: readonly OwnPage[]) => {
      const { rows } = await sql.query<AssistantPage>({
        name: 'list-assistants',
        text: `select coalesce(page.items, '') as items, page.taken, coalesce(t.total, 0) as total
             from unnest($1::int8[], $2::int8[], $3::int8[]) with ordinality w (account_id, skip, take, place)
             left join ${assistantTotalsTable} t on t.account_id = w.account_id
             cross join lateral (
               select string_agg(a.body, ',' order by a.created_position desc) as items, count(*) as taken
               from (
                 select k.created_position from ${assistantsTable} k where k.account_id = w.account_id
                 order by k.created_position desc offset w.skip limit w.take
               ) k
               join ${assistantsTable} a on a.account_id = w.account_id and a.created_position = k.created_position
             ) page
             order by w.place`,
        values: [
          pages.map(({ accountId }) => accountId),
          pages.map(itemsBefore),
          pages.map(({ perPage }) => perPage),
        ],
      });
      return rows;
    },
    { maxBatch: pagesAtOnce, ownerOf: ({ accountId }) => accountId },
  );
