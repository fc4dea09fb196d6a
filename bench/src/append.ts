import { execFile } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, startPostgres } from '@parley/embedded-servers';
import { createPostgresEventStore } from '@parley/event-store';
import pg from 'pg';
import { interleave, median } from './statistics.ts';

const run = promisify(execFile);

export interface AppendBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly concurrency: number;
}

/** Medians over the rounds; the ratios compare runs of one round. `undefined` where pgbench is not installed. */
export interface AppendBenchRow {
  readonly variant: string;
  readonly rowsPerSecond: number;
  readonly ratioToPooled: number;
  readonly ratioToPgbench: number | undefined;
}

/** Measures for this long and says how many events it was told are durable. */
type Variant = (durationMs: number) => Promise<number>;

const accounts = 1_000;
const commandReply = (id: string) => JSON.stringify({ message: 'Folder created successfully', data: { id } });
const eventData = (id: number) => ({
  folder_id: id,
  name: `Folder number ${id}`,
  color: '#4f46e5',
  created_by: null,
});
const metadata = {
  correlationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  causationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  commandId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  actor: { kind: 'api_key', id: '17' },
} as const;

/** The same row as an event with the same indexes, but nothing beside it: no versions checked, no command kept. */
const plainTable = `create table plain_events (
  position int8 generated always as identity primary key,
  recorded_at timestamptz not null default now(),
  account_id int8,
  event_id uuid not null unique,
  stream_version int4 not null,
  schema_version int4 not null,
  stream_id text collate "C" not null,
  category text collate "C" not null,
  type text collate "C" not null,
  data jsonb not null,
  metadata jsonb not null,
  unique (stream_id, stream_version)
)`;
const plainColumns =
  'plain_events (account_id, event_id, stream_version, schema_version, stream_id, category, type, data, metadata)';
const newNumber = () => randomInt(2 ** 31);
const newStream = () => `folder-${randomUUID()}`;

/**
 * Durable appends, each with its command row, beside the same single-row INSERT from a pool and from pgbench, on one
 * Postgres of their own with fsync. Every variant's rows are counted: fewer rows than acknowledgements fail the run.
 */
export async function runAppendBench(options: AppendBenchOptions): Promise<AppendBenchRow[]> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  await chmod(dir, 0o755);
  const server = await startPostgres({
    dataDir: join(dir, 'postgres'),
    port: await findFreePort(),
    password: randomUUID(),
  });
  try {
    return await compare(server.url, dir, options);
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function compare(url: string, dir: string, options: AppendBenchOptions): Promise<AppendBenchRow[]> {
  const { rounds, durationMs, concurrency } = options;
  const pool = new pg.Pool({ connectionString: url, max: concurrency });
  // A server that stops must not end the run before its own error is shown.
  pool.on('error', () => undefined);
  const store = await createPostgresEventStore({ connectionString: url });
  try {
    await pool.query(plainTable);
    const pgbench = await pgbenchVariant(url, dir, concurrency);
    const variants = new Map<string, { table: string; measure: Variant }>([
      ['parley append', { table: 'es.events', measure: parleyVariant(store, concurrency) }],
      ['pooled INSERT', { table: 'plain_events', measure: pooledVariant(pool, concurrency) }],
    ]);
    if (pgbench) variants.set('pgbench INSERT', { table: 'plain_events', measure: pgbench });
    const measure = async (name: string, forMs: number) => {
      const variant = variants.get(name);
      if (!variant) throw new Error(`There is no variant ${name}.`);
      return measured(pool, variant.table, () => variant.measure(forMs));
    };
    for (const name of variants.keys()) await measure(name, Math.min(durationMs, 1_500));
    const rates = await interleave([...variants.keys()], rounds, (name) => measure(name, durationMs));
    return [...rates].map(([variant, own]) => ({
      variant,
      rowsPerSecond: median(own),
      ratioToPooled: medianRatio(own, rates.get('pooled INSERT') ?? []),
      ratioToPgbench: pgbench && medianRatio(own, rates.get('pgbench INSERT') ?? []),
    }));
  } finally {
    await store.close();
    await pool.end();
  }
}

const medianRatio = (own: readonly number[], reference: readonly number[]) =>
  median(own.map((rate, round) => rate / (reference[round] ?? Number.NaN)));

/** Rows per second that are really there. */
async function measured(pool: pg.Pool, table: string, load: () => Promise<number>): Promise<number> {
  const before = await count(pool, table);
  const startedAt = performance.now();
  const acknowledged = await load();
  const seconds = (performance.now() - startedAt) / 1000;
  const rows = (await count(pool, table)) - before;
  if (rows < acknowledged) throw new Error(`${acknowledged} acknowledged, ${rows} rows in ${table}.`);
  return rows / seconds;
}

async function count(pool: pg.Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`select count(*) from ${table}`);
  return Number(rows[0]?.count);
}

async function closedLoop(
  durationMs: number,
  concurrency: number,
  once: () => Promise<void>,
): Promise<number> {
  const endsAt = performance.now() + durationMs;
  let done = 0;
  const loop = async () => {
    for (; performance.now() < endsAt; done++) await once();
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return done;
}

function parleyVariant(
  store: Awaited<ReturnType<typeof createPostgresEventStore>>,
  concurrency: number,
): Variant {
  return (durationMs) =>
    closedLoop(durationMs, concurrency, async () => {
      const id = newNumber();
      const { kind } = await store.append({
        streamId: newStream(),
        category: 'folder',
        accountId: id % accounts,
        events: [{ type: 'FolderCreated', data: eventData(id) }],
        expectedVersion: 0,
        metadata,
        command: { commandId: randomUUID(), fingerprint: '', reply: commandReply(`${id}`) },
      });
      if (kind !== 'appended') throw new Error(`An append ended as ${kind}.`);
    });
}

function pooledVariant(pool: pg.Pool, concurrency: number): Variant {
  return (durationMs) =>
    closedLoop(durationMs, concurrency, async () => {
      const id = newNumber();
      await pool.query({
        name: 'plain-insert',
        text: `insert into ${plainColumns} values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        values: [
          id % accounts,
          randomUUID(),
          1,
          1,
          newStream(),
          'folder',
          'FolderCreated',
          JSON.stringify(eventData(id)),
          JSON.stringify(metadata),
        ],
      });
    });
}

/** The same INSERT prepared in pgbench; undefined when it is not installed (Debian: postgresql-contrib). */
async function pgbenchVariant(url: string, dir: string, concurrency: number): Promise<Variant | undefined> {
  const script = join(dir, 'insert.sql');
  // A colon before a word would be a variable of pgbench's.
  const json = (value: object) => JSON.stringify(value).replaceAll(':', ': ');
  await writeFile(
    script,
    [
      '\\set id random(1, 2147483647)',
      `insert into ${plainColumns} values (:id % ${accounts}, gen_random_uuid(), 1, 1, 'folder-' || gen_random_uuid(), 'folder',`,
      `'FolderCreated', '${json(eventData(1_234_567_890))}', '${json(metadata)}');`,
    ].join('\n'),
  );
  const start = (durationMs: number) =>
    run('pgbench', [
      ...['--no-vacuum', '--protocol=prepared', `--client=${concurrency}`, '--jobs=2'],
      ...[`--time=${Math.max(1, Math.round(durationMs / 1000))}`, `--file=${script}`, url],
    ]);
  try {
    await run('pgbench', ['--version']);
  } catch {
    return undefined;
  }
  return async (durationMs) => {
    const { stdout } = await start(durationMs);
    return Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1] ?? Number.NaN);
  };
}
