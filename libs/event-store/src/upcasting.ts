import type { AppendRequest, JsonObject, RecordedEvent, Upcaster } from './port.ts';

/** Brings an event's payload to its newest version. */
export type Upcast = (event: RecordedEvent<string, JsonObject>) => RecordedEvent;

/** Says of an append's events which version they are, where they do not say so themselves. */
export type StampVersions = (request: AppendRequest) => AppendRequest;

/** Stamps new events with the newest version of their payload, which is the one that the upcasters lead readers to. */
export function createVersionStamp(upcasters: readonly Upcaster[] = []): StampVersions {
  const newest = new Map<string, number>();
  for (const { type, fromVersion } of upcasters)
    newest.set(type, Math.max(fromVersion + 1, newest.get(type) ?? 1));
  if (newest.size === 0) return (request) => request;
  return (request) => {
    if (!request.events.some(({ type }) => newest.has(type))) return request;
    const events = request.events.map((event) => ({ schemaVersion: newest.get(event.type) ?? 1, ...event }));
    return { ...request, events };
  };
}

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
