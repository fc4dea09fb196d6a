import type { ServiceName } from '../service-name.ts';
import type { EventDefinition, EventPayload } from './event.ts';
import type { RecordedEventMessage } from './recorded-event.ts';

/** How a service's log brings what it once wrote to the versions of today. */
export const upcastersOf = (events: readonly EventDefinition[], service: ServiceName) =>
  events
    .filter((event) => event.service === service)
    .flatMap(({ type, earlier = [] }) =>
      earlier.map(({ upcast }, index) => ({ type, fromVersion: index + 1, upcast })),
    );

/**
 * An event of any age at the newest version that these contracts know. What a service tells is that already; what
 * another release of it told, or JetStream kept from before, may not be.
 */
export function createMessageUpcast(
  events: readonly EventDefinition[],
): (message: RecordedEventMessage) => RecordedEventMessage {
  const known = new Map(events.map(({ type, earlier = [] }) => [type, earlier]));
  return (message) => {
    const later = known.get(message.type)?.slice(message.schema_version - 1) ?? [];
    if (later.length === 0) return message;
    const data = later.reduce((payload, { upcast }) => upcast(payload), message.data as EventPayload);
    return {
      ...message,
      schema_version: message.schema_version + later.length,
      data: data as RecordedEventMessage['data'],
    };
  };
}
