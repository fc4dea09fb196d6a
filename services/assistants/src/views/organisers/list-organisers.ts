import type { SqlExecutor } from '@parley/event-store';
import type { Projection } from '@parley/processing';
import { createOwnPages } from '@parley/service-kit';
import { itemsTable } from './organisers-view.ts';

/**
 * Pages of folders or labels, newest first, as the body of the answer. Rows are counted only for a page that leaves open
 * whether others follow.
 */
export const createOrganiserLists = (sql: SqlExecutor, view: Projection) =>
  createOwnPages(sql, {
    name: `list-${view.name}`,
    text: `select coalesce(page.items, '') as items,
             case when page.taken < w.take and (page.taken > 0 or w.skip = 0) then w.skip + page.taken
               else (select count(*) from ${itemsTable(view)} i where i.account_id = w.account_id) end as total
           from unnest($1::int8[], $2::int8[], $3::int8[]) with ordinality w (account_id, skip, take, place)
           cross join lateral (
             select string_agg(newest.body, ',' order by newest.created_position desc) as items,
               count(*) as taken
             from (
               select i.body, i.created_position from ${itemsTable(view)} i
               where i.account_id = w.account_id
               order by i.created_position desc offset w.skip limit w.take
             ) newest
           ) page
           order by w.place`,
  });
