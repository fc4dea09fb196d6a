import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { ProjectionDb } from '@parley/processing';
import { withdrawalsByCampaign } from '../leads/lead-withdrawals.ts';
import { wasMade } from './failed-calls.ts';
import { restAfterSql } from './rest-after.ts';

type Recorded = RecordedEvent & (CampaignEvent | LeadEvent);

/** Why a lead was given back, and when; `until` is null where it waits for nothing but the campaign's rest. */
interface HoldUp {
  readonly reason: string;
  readonly until: string | null;
  readonly at: string;
}

/** What a batch tells of what holds campaigns up: the reason for the last withdrawal; null once that is over. */
function holdUpsByCampaign(events: readonly Recorded[]): ReadonlyMap<number, HoldUp | null> {
  const newest = new Map<number, HoldUp | null>();
  for (const { type, data, streamId, recordedAt: at } of events) {
    if (type === 'LeadAttemptStarted' || (type === 'LeadAttemptEnded' && wasMade(data)))
      newest.set(data.campaign_id, null);
    if (type === 'CampaignStarted' || type === 'CampaignStopped')
      newest.set(Number(streamId.slice('campaign-'.length)), null);
    if (type === 'LeadAttemptWithdrawn') {
      const { campaign_id, due_at, reason } = data;
      const isLater = Date.parse(due_at) > Date.parse(data.at);
      newest.set(campaign_id, { reason, until: isLater ? due_at : null, at });
    }
  }
  return newest;
}

/** SQL expression for how many withdrawals in a row are counted after a batch `c`. */
const withdrawn = 'c.withdrawn + case when c.is_anew then 0 else i.withdrawn_in_a_row end';
/** SQL expression for when the rest after them is over. */
const restedAt = `to_char(
  (c.at + ${restAfterSql(withdrawn)} * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
)`;
const heldUpAfter = `case when c.is_as_before then i.held_up_json when c.reason is null then 'null'
  else '{"reason":' || c.reason || ',"until":"' || coalesce(c.until, ${restedAt}) || '"}' end`;

/**
 * Notes why a campaign waits though it has leads: the reason for its last withdrawal, until another attempt has started
 * or one is over.
 */
export function noteHoldUps(db: ProjectionDb, events: readonly Recorded[]): void {
  const holdUps = holdUpsByCampaign(events);
  const withdrawals = withdrawalsByCampaign(events);
  const ids = [...new Set([...holdUps.keys(), ...withdrawals.keys()])];
  if (ids.length === 0) return;
  const told = ids.map((id) => holdUps.get(id));
  const counts = ids.map((id) => withdrawals.get(id));
  db.query({
    name: 'note-hold-ups',
    text: `update ${db.schema}.items i set withdrawn_in_a_row = ${withdrawn}, held_up_json = ${heldUpAfter}
           from unnest($1::int8[], $2::int4[], $3::bool[], $4::bool[], $5::text[], $6::text[], $7::timestamptz[])
             c (id, withdrawn, is_anew, is_as_before, reason, until, at)
           where i.id = c.id and (i.withdrawn_in_a_row <> ${withdrawn} or i.held_up_json <> ${heldUpAfter})`,
    values: [
      ids,
      counts.map((count) => count?.inARow ?? 0),
      counts.map((count) => count?.isAnew ?? false),
      told.map((holdUp) => holdUp === undefined),
      told.map((holdUp) => (holdUp ? JSON.stringify(holdUp.reason) : null)),
      told.map((holdUp) => holdUp?.until ?? null),
      told.map((holdUp) => holdUp?.at ?? null),
    ],
  });
}
