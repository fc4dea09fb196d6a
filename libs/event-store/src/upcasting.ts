import type { JsonObject, RecordedEvent, Upcaster } from './port.ts';

/** Brings an event's payload to its newest version. */
export type Upcast = (event: RecordedEvent<string, JsonObject>) => RecordedEvent;

/** Chains the upcasters of each type; throws at once when two of them start from the same version. */
export function createUpcast(upcasters: readonly Upcaster[] = []): Upcast {
  const byTypeAndVersion = new Map<string, Upcaster>();
  for (const upcaster of upcasters) {
    const key = `${upcaster.type} ${upcaster.fromVersion}`;
    if (byTypeAndVersion.has(key)) throw new Error(`Two upcasters of ${key}.`);
    byTypeAndVersion.set(key, upcaster);
  }
  if (byTypeAndVersion.size === 0) return (event) => event;
  return (event) => {
    let { data, schemaVersion } = event;
    for (;;) {
      const next = byTypeAndVersion.get(`${event.type} ${schemaVersion}`);
      if (!next) break;
      data = next.upcast(data);
      schemaVersion++;
    }
    return schemaVersion === event.schemaVersion ? event : { ...event, data, schemaVersion };
  };
}
