import type { ProjectionDb } from '@parley/processing';
import { holdUpsByCampaign, type RecordedOutreachEvent } from '../../outreach/pacing/held-up.ts';
import { withdrawalsByCampaign } from '../../outreach/pacing/lead-withdrawals.ts';
import { restAfterSql } from '../../outreach/pacing/rest-after.ts';

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
export function noteHoldUps(db: ProjectionDb, events: readonly RecordedOutreachEvent[]): void {
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
