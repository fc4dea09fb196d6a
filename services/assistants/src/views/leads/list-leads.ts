import type { SqlExecutor } from '@parley/event-store';
import { createOwnPages, type OwnPage } from '@parley/service-kit';
import type { LeadStatus } from '../../lead/lead-status.ts';
import { leadCampaignsTable, leadsTable } from './leads-view.ts';

export interface PageOfLeads extends OwnPage {
  readonly campaignId: number | undefined;
  readonly status: LeadStatus | undefined;
}

/** A page of large leads may have 26 MB. */
const pagesAtOnce = 4;

/**
 * Pages of leads, newest first, as the body of the answer; those with the same filters share statements. Rows are
 * counted only where a page leaves open whether others follow.
 */
export function createLeadLists(sql: SqlExecutor): (page: PageOfLeads) => Promise<string> {
  const all = createLoader(sql, 'list-leads', '');
  const byCampaign = createLoader(sql, 'list-leads-of-campaign', 'and i.campaign_id = w.campaign_id');
  const byStatus = createLoader(sql, 'list-leads-by-status', 'and i.status = w.status');
  const byBoth = createLoader(
    sql,
    'list-leads-of-campaign-by-status',
    'and i.campaign_id = w.campaign_id and i.status = w.status',
  );
  return (page) => {
    if (page.campaignId === undefined) return page.status === undefined ? all(page) : byStatus(page);
    return page.status === undefined ? byCampaign(page) : byBoth(page);
  };
}

const createLoader = (sql: SqlExecutor, name: string, filter: string) =>
  createOwnPages<PageOfLeads>(sql, {
    name,
    text: `select coalesce(page.items, '') as items,
             case when page.taken < w.take and (page.taken > 0 or w.skip = 0) then w.skip + page.taken
               else (select count(*) from ${leadsTable} i where i.account_id = w.account_id ${filter}) end as total
           from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[]) with ordinality
             w (account_id, skip, take, campaign_id, status, place)
           cross join lateral (
             select count(*) as taken, string_agg((
               -- One by one: a join would read all leads of the account.
               select l.rendered_before || c.name_json || l.rendered_after
               from ${leadsTable} l join ${leadCampaignsTable} c on c.id = l.campaign_id
               where l.account_id = w.account_id and l.created_position = newest.created_position
             ), ',' order by newest.created_position desc) as items
             from (
               select i.created_position from ${leadsTable} i
               where i.account_id = w.account_id ${filter}
               order by i.created_position desc offset w.skip limit w.take
             ) newest
           ) page
           order by w.place`,
    more: [({ campaignId }) => campaignId ?? null, ({ status }) => status ?? null],
    pagesAtOnce,
  });
