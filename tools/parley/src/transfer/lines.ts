import { events, heldName, nextIds, serviceNames, travellingEvent } from '@parley/contracts';
import { z } from 'zod';

const service = z.enum(serviceNames);

/** What an exported account is made of: its events by time, what goes with them, and an end that vouches for it all. */
export const exportedEvent = travellingEvent.extend({ service });
const exportedName = z.object({ service, name: heldName });
const exportedIds = z.object({ service, next_ids: nextIds });
const exportEnd = z.object({
  end: z.object({
    account_id: z.int(),
    events: z.int(),
    /** Of all lines before it, back to the end before. */
    sha256: z.string(),
  }),
});

export const exportLine = z.union([exportEnd, exportedName, exportedIds, exportedEvent]);
export type ExportedEvent = z.output<typeof exportedEvent>;
export type ExportedIds = z.output<typeof exportedIds>;
export type ExportLine = z.output<typeof exportLine>;

const secretsByType = new Map(events.map(({ type, secrets = [] }) => [type, secrets]));

type Data = ExportedEvent['data'];

/** The payload without what its contract calls secret. */
export function withoutSecrets(type: string, data: Data): Data {
  const secrets = secretsByType.get(type) ?? [];
  return secrets.length === 0
    ? data
    : Object.fromEntries(Object.entries(data).filter(([field]) => !secrets.includes(field)));
}

/** In their place stands what nobody can know or compute: a key or token that was exported opens nothing elsewhere. */
export function withPlaceholders({ type, event_id, data }: ExportedEvent): Data {
  const missing = (secretsByType.get(type) ?? []).filter((field) => data[field] === undefined);
  return { ...data, ...Object.fromEntries(missing.map((field) => [field, `withheld:${event_id}`])) };
}
