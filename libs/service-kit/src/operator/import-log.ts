import { type importEvents, invalidField, type Rejection } from '@parley/contracts';
import { idsPerBlock, onOneConnection, type SqlExecutor, scanTime } from '@parley/event-store';
import type pg from 'pg';
import type { z } from 'zod';
import type { Seals } from '../sealing/event-seals.ts';
import { streamEnds } from './stream-ends.ts';
import { beginImports, unfinishedImports } from './unfinished-imports.ts';

type Import = z.output<typeof importEvents.input>;
type Travelling = Import['events'][number];
type HeldName = Import['names']['held'][number];

interface Refused {
  readonly refusal: Rejection;
}

/**
 * Writes events into the log as they were recorded elsewhere: after whatever is there, under the append lock, all or none.
 * Nobody's views are written: the head no longer vouches for them, so they catch up from the log.
 */
export async function importIntoLog(
  pool: pg.Pool,
  seals: Seals,
  { events: open, names: readable, next_ids }: Import,
): Promise<{ readonly imported: number; readonly present: number } | Refused> {
  const events = await sealed(seals, open);
  const names = await sealedNames(seals, readable);
  const write = async (sql: SqlExecutor) => {
    await sql.query({ text: 'begin' });
    const { rows: heads } = await sql.query<{ position: number; recorded_at: string | null }>({
      text: `select position, ${isoTime('nullif(recorded_at, $1)')} as recorded_at from es.head for update`,
      values: ['-infinity'],
    });
    const head = heads[0] ?? { position: 0, recorded_at: null };
    const present = await readPresent(sql, events);
    const added = events.filter(({ event_id }) => !present.has(event_id));
    await beginImports(sql, [...new Set(added.flatMap(({ account_id }) => account_id ?? []))]);
    // Once an account lives here, its names are not what they were in the file.
    const areNamesWanted = (await unfinishedImports(sql, [readable.account_id])).length > 0;
    const refusal =
      differing(events, present) ??
      (await misplaced(sql, added)) ??
      (added.some(({ recorded_at }) => head.recorded_at !== null && recorded_at < head.recorded_at)
        ? refuse('this installation has newer events than those to be imported')
        : undefined) ??
      (areNamesWanted ? await takeNames(sql, names) : undefined);
    if (refusal) {
      await sql.query({ text: 'rollback' });
      return { refusal };
    }
    await insert(sql, head.position, added);
    for (const [sequence, next] of Object.entries(next_ids)) await moveSequence(sql, sequence, next);
    await sql.query({ text: 'commit' });
    return { imported: added.length, present: events.length - added.length };
  };
  return onOneConnection(pool, write, scanTime);
}

/** What belongs to people is sealed with this installation's keys; streams keep their names and are found by numbers. */
async function sealed(seals: Seals, events: readonly Travelling[]): Promise<Travelling[]> {
  const byStream = Map.groupBy(events, ({ stream_id }) => stream_id);
  const stored = new Map<string, Travelling['data']>();
  for (const [streamId, own] of byStream) {
    const accountId = own[0]?.account_id ?? null;
    const wanted = own.map(({ type, data, event_id: eventId }) => ({ type, data, eventId }));
    await seals.adopt(accountId, streamId, wanted);
    const request = await seals.seal({ ...aboutNobody, streamId, accountId, events: wanted });
    for (const [index, event] of request.events.entries())
      stored.set(own[index]?.event_id ?? '', (event.sealedData ?? event.data) as Travelling['data']);
  }
  return events.map((event) => ({ ...event, data: stored.get(event.event_id) ?? event.data }));
}

/** What sealing does not look at. */
const aboutNobody = {
  category: '',
  expectedVersion: 'any',
  metadata: { correlationId: '', causationId: '', commandId: null, actor: { kind: 'operator', id: '' } },
} as const;

async function sealedNames(
  seals: Seals,
  { account_id: accountId, held }: Import['names'],
): Promise<readonly HeldName[]> {
  const claims = held.map((name) => ({ op: 'take' as const, ...name }));
  const request = await seals.seal({ ...aboutNobody, streamId: '', accountId, events: [], claims });
  return request.claims ?? [];
}

const refuse = (why: string): Rejection => invalidField('events', `The import is refused: ${why}.`);

/** As events show it, whatever the session's zone. */
export const isoTime = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

interface Known {
  readonly event_id: string;
  readonly stream_id: string;
  readonly stream_version: number;
  readonly type: string;
}

async function readPresent(sql: SqlExecutor, events: readonly Travelling[]): Promise<Map<string, Known>> {
  const { rows } = await sql.query<Known>({
    text: 'select event_id, stream_id, stream_version, type from es.events where event_id = any($1::uuid[])',
    values: [events.map(({ event_id }) => event_id)],
  });
  return new Map(rows.map((row) => [row.event_id, row]));
}

/** An id that is there must be the same event. */
function differing(
  events: readonly Travelling[],
  present: ReadonlyMap<string, Known>,
): Rejection | undefined {
  const other = events.find((event) => {
    const known = present.get(event.event_id);
    const names = ['stream_id', 'stream_version', 'type'] as const;
    return known && names.some((name) => known[name] !== event[name]);
  });
  return other && refuse(`event ${other.event_id} is another one here`);
}

/** Each event follows its predecessor in a stream of the same account. */
async function misplaced(sql: SqlExecutor, added: readonly Travelling[]): Promise<Rejection | undefined> {
  const ends = await streamEnds(sql, [...new Set(added.map(({ stream_id }) => stream_id))]);
  const streams = new Map(ends.map((end) => [end.stream_id, end]));
  for (const { stream_id, stream_version: version, account_id } of added) {
    const { version: before, account_id: owner } = streams.get(stream_id) ?? { version: 0, account_id };
    if (owner !== account_id || version !== before + 1)
      return refuse(
        `${stream_id} exists already, or is not complete (version ${before} here, then ${version})`,
      );
    streams.set(stream_id, { stream_id, version, account_id });
  }
  return undefined;
}

async function insert(sql: SqlExecutor, head: number, added: readonly Travelling[]): Promise<void> {
  const last = added.at(-1);
  if (!last) return;
  const column = <T>(of: (event: Travelling) => T): T[] => added.map(of);
  await sql.query({
    text: `insert into es.events (position, recorded_at, account_id, event_id, stream_version, schema_version,
             stream_id, category, type, data, metadata)
           select $1::int8 + e.i, e.recorded_at, e.account_id, e.event_id, e.stream_version, e.schema_version,
             e.stream_id, e.category, e.type, e.data, e.metadata
           from unnest($2::timestamptz[], $3::int8[], $4::uuid[], $5::int4[], $6::int4[], $7::text[], $8::text[],
             $9::text[], $10::jsonb[], $11::jsonb[]) with ordinality
             e (recorded_at, account_id, event_id, stream_version, schema_version, stream_id, category, type, data,
               metadata, i)`,
    values: [
      head,
      column(({ recorded_at }) => recorded_at),
      column(({ account_id }) => account_id),
      column(({ event_id }) => event_id),
      column(({ stream_version }) => stream_version),
      column(({ schema_version }) => schema_version),
      column(({ stream_id }) => stream_id),
      column(({ category }) => category),
      column(({ type }) => type),
      column(({ data }) => JSON.stringify(data)),
      column(({ metadata }) => JSON.stringify(asStored(metadata))),
    ],
  });
  await sql.query({
    text: `update es.checkpoints c set position = $1, updated_at = now() from es.head h
           where c.processor = any (h.views)`,
    values: [head],
  });
  await sql.query({
    text: `update es.head set position = $1, recorded_at = $2, views = '{}'`,
    values: [head + added.length, last.recorded_at],
  });
  await sql.query({
    text: `select pg_notify('es_appended', $1)`,
    values: [String(head + added.length)],
  });
}

const asStored = ({
  correlation_id,
  causation_id,
  command_id,
  actor,
  traceparent,
  chain_depth,
}: Travelling['metadata']) => ({
  correlationId: correlation_id,
  causationId: causation_id,
  commandId: command_id,
  actor,
  ...(traceparent === undefined ? {} : { traceparent }),
  ...(chain_depth === undefined ? {} : { chainDepth: chain_depth }),
  imported: true,
});

async function takeNames(sql: SqlExecutor, names: readonly HeldName[]): Promise<Rejection | undefined> {
  const columns = [
    names.map(({ scope }) => scope),
    names.map(({ key }) => key),
    names.map(({ owner }) => owner),
  ];
  await sql.query({
    text: 'insert into es.claims (scope, key, owner) select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing',
    values: columns,
  });
  const { rows } = await sql.query<{ scope: string; key: string }>({
    text: `select n.scope, n.key from unnest($1::text[], $2::text[], $3::text[]) n (scope, key, owner)
           join es.claims c on c.scope = n.scope and c.key = n.key where c.owner <> n.owner limit 1`,
    values: columns,
  });
  return rows[0] && refuse(`${rows[0].scope} ${rows[0].key} belongs to something else here`);
}

/** Ids go on behind those that were given out there; they come in blocks of 20. The name is one of `nextIds`. */
async function moveSequence(sql: SqlExecutor, sequence: string, next: number): Promise<void> {
  if (next <= idsPerBlock) return;
  await sql.query({ text: `select pg_advisory_xact_lock(hashtext($1))`, values: [`es.${sequence}`] });
  await sql.query({ text: `create sequence if not exists es.${sequence} increment by ${idsPerBlock}` });
  await sql.query({
    text: `select setval($1::regclass, $2::int8 - ${idsPerBlock}) from es.${sequence}
           where not is_called or $2::int8 > last_value + ${idsPerBlock}`,
    values: [`es.${sequence}`, next],
  });
}
