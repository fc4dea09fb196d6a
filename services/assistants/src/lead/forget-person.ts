import { Aggregates, type Clock, type EventStore, mustBeDone, type SqlExecutor } from '@parley/event-store';
import type { EndDealings } from '@parley/service-kit';
import { leadsTable } from '../views/leads/leads-view.ts';
import { deleteLead } from './delete-lead.ts';
import { lead, leadCategory, leadStream } from './lead.ts';

/** For an erasure: deletes the leads of the person, so that nobody reaches out to them any more. */
export function forgetPerson(parts: {
  readonly clock: Clock;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}): EndDealings {
  const { clock, sql, store } = parts;
  const aggregates = new Aggregates(store);
  return async ({ accountId, phoneNumbers, metadata }) => {
    const { rows } = await sql.query<{ id: number }>({
      text: `select id from ${leadsTable} where account_id = $1 and phone_number = any($2::text[]) order by id`,
      values: [accountId, phoneNumbers],
    });
    const now = await clock.now();
    for (const { id } of rows) {
      const result = await aggregates.execute({
        streamId: leadStream(id),
        category: leadCategory,
        accountId,
        fold: lead,
        metadata,
        command: null,
        decide: (state) => deleteLead(state, { now }),
      });
      // Somebody else may have deleted the lead meanwhile.
      mustBeDone(result, leadStream(id), ['not_found']);
    }
  };
}
