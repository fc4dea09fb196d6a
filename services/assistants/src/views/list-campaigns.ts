import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { itemsBefore, pageBody, type WantedPage } from '@parley/service-kit';
import { itemWith } from '../campaign/item.ts';
import { campaignsTable, isHeldUp } from './campaigns-view.ts';

export interface PageOfCampaigns extends WantedPage {
  readonly accountId: number;
}

/** A page of large campaigns that were made before their size had a bound has 25 MB: a few at a time, of each in turn. */
const pagesAtOnce = 4;

/** What held a campaign up stays in its row. */
const shown = `case when i.held_up_json = 'null' and i.failed_in_a_row = 0 or ${isHeldUp} then i.rendered else ${itemWith("'null'")} end`;

/** Pages of campaigns, newest first, as the body of the answer: the pages of one tick share statements, a few in each. */
export const createCampaignLists = (sql: SqlExecutor): ((page: PageOfCampaigns) => Promise<string>) =>
  createBatchLoader(
    async (pages: readonly PageOfCampaigns[]) => {
      const { rows } = await sql.query<{ items: string; total: number }>({
        name: 'list-campaigns',
        text: `select coalesce(page.items, '') as items,
               (select count(*) from ${campaignsTable} i where i.account_id = w.account_id) as total
             from unnest($1::int8[], $2::int8[], $3::int8[]) with ordinality w (account_id, skip, take, place)
             cross join lateral (
               select string_agg(newest.shown, ',' order by newest.created_position desc) as items
               from (
                 select ${shown} as shown, i.created_position from ${campaignsTable} i
                 where i.account_id = w.account_id
                 order by i.created_position desc offset w.skip limit w.take
               ) newest
             ) page
             order by w.place`,
        values: [
          pages.map(({ accountId }) => accountId),
          pages.map(itemsBefore),
          pages.map(({ perPage }) => perPage),
        ],
      });
      return pages.map((page, index) => pageBody(page, rows[index]));
    },
    { maxBatch: pagesAtOnce, ownerOf: ({ accountId }) => accountId },
  );
