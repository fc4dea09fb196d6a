import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { accounts, eventData, metadata, newNumber, newStream } from './sample-event.ts';
import { closedLoop, type Variant } from './variant.ts';

const run = promisify(execFile);

/** The same row as an event with the same indexes, but nothing beside it: no versions checked, no command kept. */
export const plainTable = `create table plain_events (
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
const table = 'plain_events';
const columns =
  'plain_events (account_id, event_id, stream_version, schema_version, stream_id, category, type, data, metadata)';

/** A prepared INSERT from a pool. */
export const pooledVariant = (pool: pg.Pool, concurrency: number): Variant => ({
  table,
  measure: (durationMs) =>
    closedLoop(durationMs, concurrency, async () => {
      const id = newNumber();
      await pool.query({
        name: 'plain-insert',
        text: `insert into ${columns} values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
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
    }),
});

/** The same INSERT prepared in pgbench; undefined when it is not installed (Debian: postgresql-contrib). */
export async function pgbenchVariant(
  url: string,
  dir: string,
  concurrency: number,
): Promise<Variant | undefined> {
  const script = join(dir, 'insert.sql');
  // A colon before a word would be a variable of pgbench's.
  const json = (value: object) => JSON.stringify(value).replaceAll(':', ': ');
  await writeFile(
    script,
    [
      '\\set id random(1, 2147483647)',
      `insert into ${columns} values (:id % ${accounts}, gen_random_uuid(), 1, 1, 'folder-' || gen_random_uuid(), 'folder',`,
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
  return {
    table,
    async measure(durationMs) {
      const { stdout } = await start(durationMs);
      return Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1] ?? Number.NaN);
    },
  };
}
