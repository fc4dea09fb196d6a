import type pg from 'pg';
import { boxesField } from '../sealing/boxes.ts';
import { isAboutSomebody, personalData } from '../sealing/personal-data.ts';

/** Where a person is in the log. */
export interface EventsAbout {
  readonly types: ReadonlySet<string>;
  /** Those that have something of theirs. One whose words only mention them, as of a charge, is not about them. */
  readonly streamIds: readonly string[];
}

/** What of an account's log any of these keys was needed to read. Looks at all events. */
export async function eventsAbout(
  pool: pg.Pool,
  accountId: number,
  keyIds: readonly string[],
): Promise<EventsAbout> {
  if (keyIds.length === 0) return { types: new Set(), streamIds: [] };
  const { rows } = await pool.query<{ type: string; stream_id: string }>({
    text: `select distinct e.type, e.stream_id from es.events e
           where e.account_id = $1 and ${isSealedWith('e.data', '$2')}`,
    values: [accountId, keyIds],
  });
  return {
    types: new Set(rows.map(({ type }) => type)),
    streamIds: [...new Set(rows.filter(({ type }) => isAbout(type)).map(({ stream_id }) => stream_id))],
  };
}

/** Whether a stored payload, an SQL expression, needs any of the keys, a parameter with their ids. */
export const isSealedWith = (data: string, keyIds: string): string =>
  `${data} ? '${boxesField}' and exists (
     select from jsonb_array_elements(${data} -> '${boxesField}') box where box -> 'keys' ?| ${keyIds}::text[]
   )`;

function isAbout(type: string): boolean {
  const personal = personalData.get(type);
  return personal !== undefined && isAboutSomebody(personal);
}
