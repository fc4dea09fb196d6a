import type { ServiceName } from '../service-name.ts';
import type { EventDefinition } from './event.ts';
import type { RecordedEventMessage } from './recorded-event.ts';

/** What outsiders are shown of events: those that a contract defines and does not keep internal, without secrets. */
export function publicEventsOf(events: readonly EventDefinition[]) {
  const shown = new Map(events.filter(({ isInternal }) => !isInternal).map((event) => [event.type, event]));
  const secretFields = new Set(events.flatMap(({ secrets = [] }) => secrets));
  return {
    typesOf: (service: ServiceName): readonly string[] =>
      [...shown.values()].filter((event) => event.service === service).map(({ type }) => type),
    isPublic: (type: string): boolean => shown.has(type),
    /** Fields of a resource without those that an event brought as a secret. */
    fieldsOf: <Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> =>
      Object.fromEntries(Object.entries(fields).filter(([field]) => !secretFields.has(field))),
    /** The payload without what is secret. */
    dataOf({ type, data }: Pick<RecordedEventMessage, 'type' | 'data'>): RecordedEventMessage['data'] {
      const secrets = shown.get(type)?.secrets ?? [];
      if (secrets.length === 0) return data;
      return Object.fromEntries(Object.entries(data).filter(([field]) => !secrets.includes(field)));
    },
  };
}
