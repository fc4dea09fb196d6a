import type { SqlExecutor } from '@parley/event-store';
import { createOwnPages } from '@parley/service-kit';
import { itemWith } from '../../campaign/item.ts';
import { campaignsTable, failingInARow, isHeldUp } from './campaigns-view.ts';

/** A page of large campaigns may have 25 MB. */
const pagesAtOnce = 4;

/**
 * SQL expression for a campaign as lists show it: without what held it up, which stays in its row, once that is over.
 */
const shown = `case when i.held_up_json = 'null' and ${failingInARow} = 0 or ${isHeldUp} then i.rendered else ${itemWith("'null'")} end`;

/** Pages of campaigns, newest first, as the body of the answer. */
export const createCampaignLists = (sql: SqlExecutor) =>
  createOwnPages(sql, {
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
    pagesAtOnce,
  });
