import type { JsonObject, RecordedEvent, Upcaster } from './port.ts';
import type { EventSeals } from './seals.ts';
import { createUpcast } from './upcasting.ts';

/** Makes what readers get of what is stored; at once when no keys have to be looked up. */
export type DecodeEvents = (
  events: readonly RecordedEvent<string, JsonObject>[],
) => readonly RecordedEvent[] | Promise<readonly RecordedEvent[]>;

/** Opens what is sealed, then brings payloads to their newest version. */
export function createDecoder(
  upcasters: readonly Upcaster[] = [],
  seals?: Pick<EventSeals, 'open'>,
): DecodeEvents {
  const upcast = createUpcast(upcasters);
  return (events) => {
    const opened = seals ? seals.open(events) : events;
    return opened instanceof Promise ? opened.then((all) => all.map(upcast)) : opened.map(upcast);
  };
}
