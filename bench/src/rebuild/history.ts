import { readFileSync } from 'node:fs';
import { events } from '@parley/contracts';
import type pg from 'pg';

/** Stand for the thing's number, the same with twelve digits, and the number of the parent it belongs to. */
export const id = '‹id›';
export const digits = '‹digits›';
export const parent = '‹parent›';
export const uuid = `00000000-0000-4000-8000-${digits}`;

/** One event of each thing: a golden payload with other values where things differ. */
export interface Happening {
  /** With the thing's number in it. */
  readonly stream: string;
  readonly type: string;
  readonly data?: object;
}

/** What a log is filled with: a few parents, then things that all go through the same. */
export interface History {
  readonly service: 'accounts' | 'assistants' | 'messaging' | 'telephony' | 'automations';
  readonly view: string;
  readonly ofParents?: readonly Happening[];
  readonly ofThings: readonly Happening[];
}

const parents = 10;
const firstParent = 1;
const firstThing = 1_000;

/** Fills an empty log with about `count` events, in one transaction; returns how many. */
export async function fillWith(client: pg.Client, history: History, count: number): Promise<number> {
  const { ofParents = [], ofThings } = history;
  const things = Math.ceil(count / ofThings.length);
  await client.query('begin');
  let head = await insert(client, ofParents, { first: firstParent, things: parents, head: 0 });
  head = await insert(client, ofThings, { first: firstThing, things, head });
  await client.query('update es.head set position = $1, recorded_at = es.now()', [head]);
  await client.query('commit');
  return head;
}

interface Range {
  readonly first: number;
  readonly things: number;
  readonly head: number;
}

async function insert(client: pg.Client, happenings: readonly Happening[], range: Range): Promise<number> {
  if (happenings.length === 0) return range.head;
  const versions = new Map<string, number>();
  const rows = happenings.map(({ stream, type, data }) => {
    const version = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    const definition = events.find((event) => event.type === type);
    if (!definition) throw new Error(`There is no ${type}.`);
    const payload = { ...goldenData(type, definition.version), ...data };
    return { stream, version, category: definition.category, type, schema: definition.version, payload };
  });
  const column = <T>(of: (row: (typeof rows)[number]) => T): T[] => rows.map(of);
  const number = '($1::int8 + n)';
  const filled = (template: string) =>
    `replace(replace(replace(${template}, '${id}', ${number}::text), '${digits}', lpad(${number}::text, 12, '0')), '${parent}', (${firstParent} + n % ${parents})::text)`;
  await client.query({
    text: `insert into es.events (position, recorded_at, account_id, event_id, stream_version, schema_version,
             stream_id, category, type, data, metadata)
           select $3::int8 + n * $4::int8 + h.place, es.now(), 1 + n % 50, gen_random_uuid(), h.version, h.schema,
             ${filled('h.stream')}, h.category, h.type, ${filled('h.payload')}::jsonb, $5::jsonb
           from generate_series(0, $2::int8 - 1) n
           cross join unnest($6::text[], $7::int4[], $8::int4[], $9::text[], $10::text[], $11::text[])
             with ordinality h (stream, version, schema, category, type, payload, place)`,
    values: [
      range.first,
      range.things,
      range.head,
      happenings.length,
      metadata,
      column(({ stream }) => stream),
      column(({ version }) => version),
      column(({ schema }) => schema),
      column(({ category }) => category),
      column(({ type }) => type),
      // What is nothing but digits is a number.
      column(({ payload }) => JSON.stringify(payload).replaceAll(/"(‹(?:id|parent)›|\d+‹digits›)"/g, '$1')),
    ],
  });
  return range.head + range.things * happenings.length;
}

const goldenFolder = new URL('../../../libs/contracts/golden/', import.meta.url);

const goldenData = (type: string, version: number): object =>
  JSON.parse(readFileSync(new URL(`${type}.v${version}.json`, goldenFolder), 'utf8')).data;

const metadata = JSON.stringify({
  correlationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  causationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  commandId: null,
  actor: { kind: 'api_key', id: '17' },
});
