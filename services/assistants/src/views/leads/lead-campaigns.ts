import type { CampaignEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { ProjectionDb } from '@parley/processing';
import { withdrawalsByCampaign } from '../../outreach/pacing/lead-withdrawals.ts';
import { deletedCampaigns } from '../campaigns/campaign-changes.ts';
import type { RecordedLeadEvent } from './lead-changes.ts';

/** The events of leads and of their campaigns. */
export type Recorded = RecordedLeadEvent | (RecordedEvent & CampaignEvent);

export function insertCampaigns(db: ProjectionDb, events: readonly Recorded[]): void {
  const created = events.flatMap((event) => (event.type === 'CampaignCreated' ? [event.data] : []));
  if (created.length === 0) return;
  db.query({
    name: 'insert-campaigns',
    text: `insert into ${db.schema}.campaigns (id, name_json) select * from unnest($1::int8[], $2::text[])`,
    values: [created.map(({ id }) => id), created.map(({ name }) => JSON.stringify(name))],
  });
}

export function renameCampaigns(db: ProjectionDb, events: readonly Recorded[]): void {
  const names = new Map<number, string>();
  for (const event of events)
    if (event.type === 'CampaignRenamed')
      names.set(Number(event.streamId.slice('campaign-'.length)), JSON.stringify(event.data.name));
  if (names.size === 0) return;
  db.query({
    name: 'rename-campaigns',
    text: `update ${db.schema}.campaigns c set name_json = n.name_json
           from unnest($1::int8[], $2::text[]) n (id, name_json) where c.id = n.id`,
    values: [[...names.keys()], [...names.values()]],
  });
}

/** Takes out campaigns that were deleted, with their leads. */
export function deleteCampaigns(db: ProjectionDb, events: readonly Recorded[]): void {
  const deleted = deletedCampaigns(events);
  if (deleted.length === 0) return;
  for (const [table, id] of [
    ['items', 'campaign_id'],
    ['campaigns', 'id'],
  ])
    db.query({
      name: `delete-${table}-of-campaigns`,
      text: `delete from ${db.schema}.${table} where ${id} = any($1::int8[])`,
      values: [deleted],
    });
}

export function noteQueued(db: ProjectionDb, events: readonly Recorded[]): void {
  const newest = new Map<number, string>();
  for (const event of events)
    if (event.type === 'LeadQueued') newest.set(event.data.campaign_id, event.recordedAt);
  if (newest.size === 0) return;
  db.query({
    name: 'note-queued',
    text: `update ${db.schema}.campaigns c set last_queued_at = q.at
           from unnest($1::int8[], $2::timestamptz[]) q (id, at) where c.id = q.id`,
    values: [[...newest.keys()], [...newest.values()]],
  });
}

export function noteWithdrawals(db: ProjectionDb, events: readonly RecordedLeadEvent[]): void {
  const noted = [...withdrawalsByCampaign(events)];
  if (noted.length === 0) return;
  db.query({
    name: 'note-withdrawals',
    text: `update ${db.schema}.campaigns c set
             last_withdrawn_at = coalesce(w.at, c.last_withdrawn_at),
             withdrawn_until = case when not w.is_over then coalesce(w.until, c.withdrawn_until) end,
             withdrawn_in_a_row = w.in_a_row + case when w.is_anew then 0 else c.withdrawn_in_a_row end
           from unnest($1::int8[], $2::timestamptz[], $3::timestamptz[], $4::int4[], $5::bool[], $6::bool[])
             w (id, at, until, in_a_row, is_anew, is_over)
           where c.id = w.id and (
             w.at is not null or c.withdrawn_in_a_row > 0 or (w.is_over and c.withdrawn_until is not null)
           )`,
    values: [
      noted.map(([id]) => id),
      noted.map(([, { at }]) => at),
      noted.map(([, { until }]) => until),
      noted.map(([, { inARow }]) => inARow),
      noted.map(([, { isAnew }]) => isAnew),
      noted.map(([, { isOver }]) => isOver),
    ],
  });
}
