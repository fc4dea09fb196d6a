import type { RecordedEventMessage, ServiceName } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import {
  type BusClient,
  type EventPage,
  isUnanswered,
  listenToEvents,
  listenToTypes,
  type NatsConnection,
  readEventPages,
} from '@parley/message-bus';
import type { EventSource } from '@parley/processing';

/**
 * Another service's log, for reactors here. While that service gives no answer, or is not yet a part of the platform, its
 * log looks as if nothing were new: whoever follows it waits quietly and misses nothing.
 */
export function eventsOfService(
  connection: NatsConnection,
  bus: BusClient,
  service: ServiceName,
): EventSource {
  const readPage = readEventPages(bus, service);
  return {
    async read({ after, limit, ...wanted }) {
      const page = await readPage(after, limit, wanted).catch(nothingNew(after));
      const head = Math.max(page.head, after);
      const reached = page.reached ?? page.events.at(-1)?.position ?? head;
      return { events: page.events.map(toRecordedEvent), head, reached: Math.max(reached, after) };
    },
    /** Who follows a few types is not woken for the rest, and reads what it is woken for: their positions have gaps. */
    subscribe: (_after, deliver, types) =>
      types
        ? listenToTypes(connection, service, types, () => deliver([]))
        : listenToEvents(connection, service, (event) =>
            deliver(event.sealed ? [] : [toRecordedEvent(event)]),
          ),
  };
}

const nothingNew =
  (head: number) =>
  (error: unknown): EventPage => {
    if (isUnanswered(error)) return { events: [], head };
    throw error;
  };

/** The other way round: `toEventMessage`. */
function toRecordedEvent(message: RecordedEventMessage): RecordedEvent {
  const { correlation_id, causation_id, command_id, actor, traceparent, imported } = message.metadata;
  return {
    position: message.position,
    streamId: message.stream_id,
    streamVersion: message.stream_version,
    category: message.category,
    accountId: message.account_id,
    type: message.type,
    schemaVersion: message.schema_version,
    eventId: message.event_id,
    data: message.data,
    metadata: {
      correlationId: correlation_id,
      causationId: causation_id,
      commandId: command_id,
      // The wire leaves the kinds open; it is only ever passed on.
      actor: actor as RecordedEvent['metadata']['actor'],
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(imported && { imported }),
    },
    recordedAt: message.recorded_at,
  };
}
