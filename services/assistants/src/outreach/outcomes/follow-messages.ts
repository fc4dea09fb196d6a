import { LeadQueued, MessageUndeliverable } from '@parley/contracts';
import type { RecordedEvent, SqlExecutor } from '@parley/event-store';
import type { Reactor } from '@parley/processing';
import { validate as isUuid } from 'uuid';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { type FollowParts, followOutcomes, type Told } from './follow-outcomes.ts';
import { messageUnsent } from './unsent-message.ts';

interface QueuedLead {
  readonly streamId: string;
  readonly leadId: number;
  readonly attempt: number;
}

/** Reactor on messaging's log: a lead whose message the chat platform took and did not send is reached out to again. */
export const followMessages = ({
  sql,
  ...parts
}: FollowParts & {
  readonly sql: SqlExecutor;
}): Reactor =>
  followOutcomes(
    {
      name: 'campaign-chatapp-outcomes',
      handles: [MessageUndeliverable.type],
      read: (event) => read(event, sql),
    },
    parts,
  );

async function read({ data }: RecordedEvent, sql: SqlExecutor): Promise<Told | null> {
  const message = MessageUndeliverable.data.parse(data);
  const queued = message.cause_id === null ? null : await queuedBy(sql, message.cause_id);
  if (!queued) return null;
  const commandId = commandIdOf(queued.streamId, queued.attempt);
  return {
    leadId: queued.leadId,
    of: (state, _, now) => messageUnsent(state, message, commandId, now),
  };
}

/**
 * The attempt whose event had the message sent; null where something else did: a request, or another service's event.
 */
async function queuedBy(sql: SqlExecutor, eventId: string): Promise<QueuedLead | null> {
  if (!isUuid(eventId)) return null;
  const { rows } = await sql.query<QueuedLead>({
    name: 'lead-queued-by-event',
    text: `select stream_id as "streamId", split_part(stream_id, '-', 2)::int8 as "leadId",
             (data ->> 'attempt')::int4 as attempt
           from es.events where event_id = $1 and type = $2`,
    values: [eventId, LeadQueued.type],
  });
  return rows[0] ?? null;
}
