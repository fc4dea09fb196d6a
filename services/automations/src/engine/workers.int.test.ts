import { createOwnershipKeeper } from '@parley/processing';
import { createTestDatabase, eventually } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { registerWorker } from './workers.ts';

async function startWorkers(count: number) {
  const { url, drop } = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: url });
  const closing = new AbortController();
  const workers = Array.from({ length: count }, () => {
    const ownership = createOwnershipKeeper(pool);
    return { ownership, ...registerWorker(ownership, closing.signal) };
  });
  onTestFinished(async () => {
    closing.abort();
    await Promise.all(workers.map(({ ownership }) => ownership.close()));
    await pool.end();
    await drop();
  });
  await Promise.all(workers.map(({ registered }) => registered));
  return workers;
}

test('a worker is alive for the others as long as its session is there', async () => {
  const [one, other] = await startWorkers(2);
  expect(await other?.isAlive(one?.self ?? '')).toBe(true);
  await one?.ownership.close();
  // On a busy machine Postgres takes its time to end the session.
  await eventually(async () => expect(await other?.isAlive(one?.self ?? '')).toBe(false));
});

test('a worker that is gone is gone for everybody who asks at the same time, in one process and in several', async () => {
  const [gone, ...others] = await startWorkers(3);
  await gone?.ownership.close();
  await eventually(async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => others.map((other) => other.isAlive(gone?.self ?? ''))).flat(),
    );
    expect(new Set(answers)).toEqual(new Set([false]));
  });
  expect(await Promise.all(others.map((other) => other.isAlive(others[0]?.self ?? '')))).toEqual([
    true,
    true,
  ]);
});
