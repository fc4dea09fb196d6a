import { operatorSubject, type RecordedEventMessage, readEvents, upcastMessage } from '@parley/contracts';
import { v7 as uuidv7 } from 'uuid';
import { type BusClient, internalContext, ServiceUnavailable } from '../wire/message.ts';

export interface EventPage {
  /** In position order; without gaps when all events were asked for. */
  readonly events: readonly RecordedEventMessage[];
  /** The newest position of the log. */
  readonly head: number;
  /** All that was asked for up to here is in this page and those before it; older copies do not say. */
  readonly reached?: number | undefined;
}

/** Which events of a log; all of them where neither is said. */
interface WantedEvents {
  readonly types?: readonly string[] | undefined;
  /** At most 1,000. */
  readonly accountIds?: readonly number[] | undefined;
  /** At most 1,000. */
  readonly positions?: readonly number[] | undefined;
}

/** A page of a service's log: at most `limit` (1,000) of the wanted events, with a position greater than `after`. */
export type ReadEventPage = (after: number, limit: number, wanted?: WantedEvents) => Promise<EventPage>;

const timeoutMs = 10_000;

/**
 * Reads pages of another service's log with `qry.<service>.read-events`. Rejects when it gives no answer (with
 * `ServiceUnavailable`, too, when it says that it cannot just now) or says no.
 */
export function readEventPages(client: BusClient, service: string): ReadEventPage {
  const subject = operatorSubject(service, readEvents);
  return async function read(after, limit, wanted = {}) {
    const reply = await client.request({
      service,
      subject,
      payload: JSON.stringify({
        after,
        limit,
        types: wanted.types,
        account_ids: wanted.accountIds,
        positions: wanted.positions,
      }),
      context: internalContext({
        accountId: null,
        actor: { kind: 'system', id: 'event-subscription' },
        correlationId: uuidv7(),
        timeoutMs,
      }),
    });
    if (reply.kind === 'ok') {
      const page = readEvents.output.parse(JSON.parse(reply.body));
      return { ...page, events: page.events.map(upcastMessage) };
    }
    const isTooLarge = reply.rejection.details?.reason === 'reply_too_large';
    if (isTooLarge && limit > 1) return read(after, Math.ceil(limit / 2), wanted);
    const refusal = `${subject} was rejected: ${reply.rejection.code}.`;
    throw reply.rejection.code === 'unavailable' ? new ServiceUnavailable(refusal) : new Error(refusal);
  };
}
