import { events } from '@parley/contracts';
import { createDecoder, PostgresReader, scanTime, type Upcaster } from '@parley/event-store';
import type pg from 'pg';
import { type EventsPage, readEventsPage } from '../operator/events-page.ts';
import { type Box, boxesOf, withBoxes } from '../sealing/boxes.ts';
import { keyOfNewest } from '../sealing/owners.ts';
import { isAboutSomebody } from '../sealing/personal-data.ts';
import { withNobodyBut } from '../sealing/personal-values.ts';
import { openEvents, type StoredEvent } from '../sealing/sealed-payload.ts';
import type { SubjectKeys } from '../sealing/subject-keys.ts';
import { keyIdsOf, type Person } from './destroy-keys.ts';
import { isSealedWith } from './events-about.ts';

export interface PersonEventsOptions {
  readonly pool: pg.Pool;
  readonly keys: SubjectKeys;
  readonly upcasters: readonly Upcaster[];
}

export interface PersonPage {
  readonly person: Person;
  /** Events with a greater position. */
  readonly after: number;
  /** Up to and including this position. */
  readonly upTo: number;
  readonly limit: number;
}

const saysWhom = events.filter(({ personal }) => personal && isAboutSomebody(personal));
const categories = new Set(saysWhom.map(({ category }) => category));
/** Types of events that tell whom they are about, and of the others in their streams, which are about the same person. */
const tellers = saysWhom.map(({ type }) => type);
const followers = events
  .filter(({ type, category }) => categories.has(category) && !tellers.includes(type))
  .map(({ type }) => type);

/** Whether the newest event before `e` that tells whom its stream is about tells of this person; for SQL. */
const isOfTheirs = `e.type = any($6) and (
  ${keyOfNewest('stream_id = e.stream_id and stream_version < e.stream_version', '$7')}) = any($2)`;

/**
 * A page of what the log has of a person: what happened with them, and whatever else erasing them would take something
 * from, of which only that is shown; of what is others' as well, without the numbers of those. Nothing for somebody
 * who was erased.
 */
export async function readPersonEvents(
  { pool, keys, upcasters }: PersonEventsOptions,
  { person, after, upTo, limit }: PersonPage,
): Promise<EventsPage> {
  const ids = await keyIdsOf(pool, keys, person);
  if (ids.length === 0) return { events: [], reached: upTo };
  const { rows } = await pool.query<{ position: number }>({
    text: `select e.position from es.events e
           where e.account_id = $1 and e.position > $3 and e.position <= $4 and (${isSealedWith('e.data', '$2')} or ${isOfTheirs})
           order by e.position limit $5`,
    values: [person.accountId, ids, after, upTo, limit, followers, tellers],
    ...scanTime,
  });
  const positions = rows.map(({ position }) => position);
  const isTheirs = (box: Box) => box.keys.some((id) => ids.includes(id));
  const open = async (stored: readonly StoredEvent[]) => {
    const theirs = stored.map((event) => ({ ...event, data: withBoxes(event.data, isTheirs) }));
    const needed = new Set(theirs.flatMap(({ data }) => boxesOf(data).flatMap((box) => box.keys)));
    const opening = [...needed].map(async (id) => [id, await keys.byId(id)] as const);
    return openEvents(new Map(await Promise.all(opening)), theirs, (value) =>
      withNobodyBut(value, person.phoneNumbers),
    );
  };
  const decode = createDecoder(upcasters, { open });
  const reader = new PostgresReader(pool, decode);
  const reached = positions.length < limit ? upTo : (positions.at(-1) ?? upTo);
  return readEventsPage(reader, { after, upTo: reached, limit, positions });
}
