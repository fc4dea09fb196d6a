import { events, heldName, nextIds, serviceNames, travellingEvent } from '@parley/contracts';
import { z } from 'zod';

const service = z.enum(serviceNames);

/**
 * The lines of an exported account: its events by time, then its names and next ids, then an end line with a hash
 * of all that.
 */
export const exportedEvent = travellingEvent.extend({ service });
const exportedName = z.object({ service, name: heldName });
const exportedIds = z.object({ service, next_ids: nextIds });
const exportEnd = z.object({
  end: z.object({
    account_id: z.int(),
    events: z.int(),
    /** Hash of the lines between the end line before and this one. */
    sha256: z.string(),
  }),
});

export const exportLine = z.union([exportEnd, exportedName, exportedIds, exportedEvent]);
export type ExportedEvent = z.output<typeof exportedEvent>;
export type ExportedIds = z.output<typeof exportedIds>;
export type ExportLine = z.output<typeof exportLine>;

const secretsByType = new Map(events.map(({ type, secrets = [] }) => [type, secrets]));

type Data = ExportedEvent['data'];

/** The payload without the fields that its contract calls secret. */
export function withoutSecrets(type: string, data: Data): Data {
  const secrets = secretsByType.get(type) ?? [];
  return secrets.length === 0
    ? data
    : Object.fromEntries(Object.entries(data).filter(([field]) => !secrets.includes(field)));
}

/**
 * The payload with a placeholder for each secret field that the export left out, so that exported keys and tokens
 * open nothing elsewhere. No key or hash ever equals it.
 */
export function withPlaceholders({ type, event_id, data }: ExportedEvent): Data {
  const missing = (secretsByType.get(type) ?? []).filter((field) => data[field] === undefined);
  return { ...data, ...Object.fromEntries(missing.map((field) => [field, `withheld:${event_id}`])) };
}
