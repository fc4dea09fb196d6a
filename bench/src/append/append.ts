import { createPostgresEventStore } from '@parley/event-store';
import pg from 'pg';
import { count } from '../count.ts';
import { withOwnPostgres } from '../own-postgres.ts';
import { interleave, median } from '../statistics.ts';
import { emmettVariant } from './emmett.ts';
import { parleyVariant } from './parley.ts';
import { pgbenchVariant, plainTable, pooledVariant } from './plain-insert.ts';
import type { Variant } from './variant.ts';

export interface AppendBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  readonly concurrency: number;
}

/** Medians over the rounds. */
export interface AppendBenchRow {
  readonly variant: string;
  readonly rowsPerSecond: number;
  /** To each other variant, of runs of the same round. */
  readonly ratios: ReadonlyMap<string, number>;
}

/**
 * Durable appends, each with its command row, beside Emmett and the same single-row INSERT from a pool and from pgbench,
 * on one Postgres of their own with fsync. Every variant's rows are counted: fewer than acknowledged fail the run.
 */
export const runAppendBench = (options: AppendBenchOptions): Promise<AppendBenchRow[]> =>
  withOwnPostgres((url, dir) => compare(url, dir, options));

async function compare(url: string, dir: string, options: AppendBenchOptions): Promise<AppendBenchRow[]> {
  const { rounds, durationMs, concurrency } = options;
  const pool = new pg.Pool({ connectionString: url, max: concurrency });
  // A server that stops must not end the run before its own error is shown.
  pool.on('error', () => undefined);
  const store = await createPostgresEventStore({ connectionString: url });
  try {
    await pool.query(plainTable);
    const variants = new Map([
      ['parley append', parleyVariant(store, concurrency)],
      ['pooled INSERT', pooledVariant(pool, concurrency)],
      ['emmett append', await emmettVariant(url, pool, concurrency)],
    ]);
    const pgbench = await pgbenchVariant(url, dir, concurrency);
    if (pgbench) variants.set('pgbench INSERT', pgbench);
    const measure = async (name: string, forMs: number) => {
      const variant = variants.get(name);
      if (!variant) throw new Error(`There is no variant ${name}.`);
      return measured(url, variant, forMs);
    };
    for (const name of variants.keys()) await measure(name, Math.min(durationMs, 1_500));
    const rates = await interleave([...variants.keys()], rounds, (name) => measure(name, durationMs));
    return [...rates].map(([variant, own]) => ({
      variant,
      rowsPerSecond: median(own),
      ratios: new Map([...rates].map(([other, theirs]) => [other, medianRatio(own, theirs)])),
    }));
  } finally {
    await store.close();
    await pool.end();
  }
}

const medianRatio = (own: readonly number[], reference: readonly number[]) =>
  median(own.map((rate, round) => rate / (reference[round] ?? Number.NaN)));

/** Rows per second that are really there. */
async function measured(url: string, { table, measure }: Variant, durationMs: number): Promise<number> {
  const before = await count(url, `select count(*) from ${table}`);
  const startedAt = performance.now();
  const acknowledged = await measure(durationMs);
  const seconds = (performance.now() - startedAt) / 1000;
  const rows = (await count(url, `select count(*) from ${table}`)) - before;
  if (rows < acknowledged || rows === 0)
    throw new Error(`${acknowledged} acknowledged, ${rows} rows in ${table}.`);
  return rows / seconds;
}
