import { events as knownEvents, type RecordedEventMessage, type ServiceName } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import {
  type BusClient,
  type EventPage,
  isUnanswered,
  listenToTypes,
  type NatsConnection,
  readEventPages,
} from '@parley/message-bus';
import type { EventSource } from '@parley/processing';

/**
 * Another service's log, for reactors here. While that service does not answer, or is not part of the platform yet,
 * its log looks as if nothing were new: followers wait quietly and miss nothing. A log that ends before the last
 * position that was read is another log: its new events would be skipped, so reading it rejects. So it does at an event
 * that a newer release of that service has recorded: followers wait for theirs.
 */
export function eventsOfService(
  connection: NatsConnection,
  bus: BusClient,
  service: ServiceName,
): EventSource {
  const readPage = readEventPages(bus, service);
  return {
    service,
    async read({ after, limit, ...wanted }) {
      const { events, head, ...page } = await readPage(after, limit, wanted).catch(nothingNew(after));
      if (head < after) throw new Error(endsTooEarly(service, head, after));
      const newer = events.find(isNewer);
      if (newer && newer === events[0]) throw new Error(isOfNewerRelease(service, newer));
      if (newer)
        return {
          events: events.slice(0, events.indexOf(newer)).map(toRecordedEvent),
          head,
          reached: newer.position - 1,
        };
      const reached = page.reached ?? events.at(-1)?.position ?? head;
      return { events: events.map(toRecordedEvent), head, reached: Math.max(reached, after) };
    },
    /** Who follows a few types is not woken for the rest, and reads what it is woken for: their positions have gaps. */
    subscribe: (_after, deliver, types) => listenToTypes(connection, service, types, () => deliver([])),
  };
}

const nothingNew =
  (head: number) =>
  (error: unknown): EventPage => {
    if (isUnanswered(error)) return { events: [], head };
    throw error;
  };

const newest = new Map(knownEvents.map(({ type, version }) => [type, version]));

const isNewer = ({ type, schema_version }: RecordedEventMessage): boolean =>
  schema_version > (newest.get(type) ?? Number.POSITIVE_INFINITY);

const isOfNewerRelease = (
  service: ServiceName,
  { position, schema_version, type }: RecordedEventMessage,
): string =>
  `A newer release of ${service} has recorded ${type} in version ${schema_version}, at position ${position}, which this release would read wrongly. It is acted on when this service is of that release as well.`;

/** Only somebody who knows what was restored can put that right. */
const endsTooEarly = (service: ServiceName, head: number, after: number): string =>
  `The log of ${service} ends at ${head}, before ${after}, which was read already: was its database restored from an older backup? What it records up to there is not acted on here.`;

/** The other way round: `toEventMessage`. */
function toRecordedEvent(message: RecordedEventMessage): RecordedEvent {
  const { correlation_id, causation_id, command_id, actor, traceparent, chain_depth, imported } =
    message.metadata;
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
      chainDepth: chain_depth,
      ...(imported && { imported }),
    },
    recordedAt: message.recorded_at,
  };
}
