import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { events, type ServiceName } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { Projection, ProjectionStatement } from '@parley/processing';
import { DatabaseError, type PoolClient } from 'pg';
import { golden } from './golden.ts';
import { createTestStore, testMetadata } from './store.ts';

/** So that golden events are about one thing. */
interface About {
  /** By category, the stream of its events; `<category>-1` where absent. */
  readonly streams?: Readonly<Record<string, string>>;
  /** Fields that have this value in each event that has them. */
  readonly fields?: Readonly<Record<string, number>>;
}

interface Written {
  /** The golden file's. */
  readonly name: string;
  readonly event: Pick<RecordedEvent, 'type' | 'category' | 'streamId' | 'data'>;
}

/**
 * Golden events of a service, of every version, that change no row of a view that takes them (`calls: CallEnded.v1`):
 * neither where nothing is, nor where all has begun, nor after any one other. An order in which they are never written may be
 * refused by a table's constraints.
 */
export async function passedOverByViews(
  service: ServiceName,
  views: readonly Projection[],
  about: About,
): Promise<string[]> {
  const written = writtenBy(service, about);
  const store = await createTestStore(views);
  const client = await store.pool.connect();
  try {
    await client.query('begin');
    const passedOver: string[] = [];
    for (const view of views) {
      const taken = written.filter(({ event }) => view.handles.includes(event.type));
      const names = await passedOverBy(await rowsOf(client, view), taken);
      passedOver.push(...names.map((name) => `${view.name}: ${name}`));
    }
    await client.query('rollback');
    return passedOver;
  } finally {
    client.release();
    await store.close();
  }
}

async function passedOverBy(rows: Rows, written: readonly Written[]): Promise<string[]> {
  const beginnings = await those(written, (one) => rows.doesChange(one));
  for (const one of beginnings) await rows.write(one);
  const later = written.filter((one) => !beginnings.includes(one));
  const unheeded = await those(later, async (one) => !(await rows.doesChange(one)));
  const passedOver = await those(unheeded, async (one) => {
    for (const other of written) if (await rows.doesChange(one, other)) return false;
    return true;
  });
  return passedOver.map(({ name }) => name);
}

const writtenBy = (service: ServiceName, { streams = {}, fields = {} }: About): Written[] =>
  events
    .filter((event) => event.service === service)
    .flatMap(({ type, category, version }) =>
      Array.from({ length: version }, (_, index) => {
        const name = `${type}.v${index + 1}`;
        const [event] = golden<{ data: object }>(name);
        const streamId = streams[category] ?? `${category}-1`;
        const data = Object.entries(event?.data ?? {}).map(([key, value]) => [key, fields[key] ?? value]);
        return { name, event: { type, category, streamId, data: Object.fromEntries(data) } };
      }),
    );

async function those<T>(all: readonly T[], isOne: (one: T) => Promise<boolean>): Promise<T[]> {
  const found: T[] = [];
  for (const one of all) if (await isOne(one)) found.push(one);
  return found;
}

interface Rows {
  /** All that an event comes to, or nothing where a constraint refuses it. */
  write(one: Written): Promise<void>;
  /** Whether it changes rows, where the other has been written; all stays as it is. */
  doesChange(one: Written, other?: Written): Promise<boolean>;
}

/** The rows of a view, within one transaction. */
async function rowsOf(client: PoolClient, view: Projection): Promise<Rows> {
  const { liveSchema } = await import('@parley/processing');
  const schema = liveSchema(view);
  let position = 0;

  async function write({ event }: Written): Promise<void> {
    position += 1;
    const recorded: RecordedEvent = {
      ...event,
      position,
      streamVersion: position,
      accountId: 7,
      schemaVersion: 1,
      eventId: randomUUID(),
      metadata: testMetadata,
      recordedAt: new Date(Date.UTC(2026, 0, 1) + position).toISOString(),
    };
    const statements: ProjectionStatement[] = [];
    const query = ({ name: _, ...statement }: ProjectionStatement) => void statements.push(statement);
    await view.project([recorded], { schema, query });
    await client.query('savepoint event');
    try {
      for (const statement of statements) await client.query(statement);
    } catch (error) {
      if (!isConstraint(error)) throw error;
      await client.query('rollback to savepoint event');
    }
  }

  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
    [schema],
  );
  const all = tables
    .map(({ name }) => `select '${name}' as name, to_jsonb(t) as row from ${name} t`)
    .join(' union all ');
  const read = async () => (await client.query(`${all} order by 1, 2`)).rows;

  return {
    write,
    async doesChange(one, other) {
      await client.query('savepoint before');
      if (other) await write(other);
      const before = await read();
      await write(one);
      const after = await read();
      await client.query('rollback to savepoint before');
      return !isDeepStrictEqual(after, before);
    },
  };
}

/** Class 23 of Postgres' errors: of constraints. */
const isConstraint = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code?.startsWith('23') === true;
