import type { SqlExecutor } from '@parley/event-store';
import { campaignsTable, failingInARow } from '../../views/campaigns/campaigns-view.ts';
import { leadCampaignsTable, leadsTable } from '../../views/leads/leads-view.ts';
import type { Queue } from './pace.ts';

interface Row {
  readonly now: Date;
  readonly last_queued_at: Date | null;
  readonly last_withdrawn_at: Date | null;
  readonly withdrawn_until: Date | null;
  readonly withdrawn_in_a_row: number;
  readonly failing_in_a_row: number;
  readonly in_flight: number;
  readonly lead_id: number | null;
  readonly due_at: Date | null;
}

/** A campaign's queue, as the views have it; undefined for a campaign that they do not have. */
export async function queueOfCampaign(sql: SqlExecutor, campaignId: number): Promise<Queue | undefined> {
  const { rows } = await sql.query<Row>({
    name: 'queue-of-campaign',
    text: `select es.now() as now, c.last_queued_at, c.last_withdrawn_at, c.withdrawn_until, c.withdrawn_in_a_row,
             (select ${failingInARow} from ${campaignsTable} f where f.id = c.id) as failing_in_a_row,
             next.id as lead_id, next.waits_from as due_at,
             (select count(*)::int4 from ${leadsTable} i where i.campaign_id = c.id and i.is_in_flight) as in_flight
           from ${leadCampaignsTable} c
           left join lateral (
             select i.id, i.waits_from from ${leadsTable} i
             where i.campaign_id = c.id and i.waits_from is not null
             order by i.waits_from, i.id limit 1
           ) next on true
           where c.id = $1`,
    values: [campaignId],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { lead_id: leadId, due_at: dueAt, last_withdrawn_at: at, withdrawn_until: until } = row;
  const inARow = row.withdrawn_in_a_row;
  return {
    now: row.now,
    lastQueuedAt: row.last_queued_at,
    lastWithdrawn: at && { at, until, inARow },
    failingInARow: row.failing_in_a_row,
    inFlight: row.in_flight,
    next: leadId === null || dueAt === null ? null : { leadId, dueAt },
  };
}
