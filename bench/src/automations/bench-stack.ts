import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningStack } from '@parley/testing';
import { httpRequest, type LoadResult, runLoad } from '@parley/testing/load';
import type pg from 'pg';
import type { SeededAccount } from '../http/parley.ts';
import { runsTable } from './ended-runs.ts';
import type { Receiver } from './receiver.ts';

export interface BenchStack {
  readonly stack: RunningStack;
  readonly account: SeededAccount;
  readonly receiver: Receiver;
  /** The database of the service that carries out runs. */
  readonly parley: pg.Pool;
}

export const gatewayPort = ({ baseUrl }: RunningStack): number => Number(new URL(baseUrl).port);

/** Starts runs by requests, `connections` at a time; returns how many were accepted, and fails where one was not. */
export async function startRuns(target: {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly durationMs: number;
  readonly url: string;
}): Promise<number> {
  const { port, path, connections, durationMs, url } = target;
  const result = await runLoad({
    port,
    connections,
    durationMs,
    request: (n) => httpRequest('POST', path, 'none', JSON.stringify({ n, url })),
  });
  return acknowledged(result);
}

/** How many were answered with 200; anything else fails the run. */
export function acknowledged({ statuses }: LoadResult): number {
  if (statuses.size !== 1 || !statuses.has(200)) throw new Error(`Answers: ${JSON.stringify([...statuses])}`);
  return statuses.get(200) ?? 0;
}

export async function countOf(pool: pg.Pool, text: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await pool.query<{ count: string }>({ text, values: [...values] });
  return Number(rows[0]?.count);
}

/** Resolves when that many are there; more, or too few after a minute and a half, fail the run. */
export async function untilCount(count: () => Promise<number>, wanted: number): Promise<void> {
  for (const endsAt = performance.now() + 90_000; ; ) {
    const found = await count();
    if (found === wanted) return;
    if (found > wanted || performance.now() > endsAt) throw new Error(`${found} rows instead of ${wanted}.`);
    await sleep(20);
  }
}

export const succeededRuns = `select count(*) from ${runsTable} where automation_id = $1 and status = 'SUCCEEDED'`;
