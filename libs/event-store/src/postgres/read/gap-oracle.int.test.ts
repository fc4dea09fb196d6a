import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { request } from '../../contract/requests.contract.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

const writer = fileURLToPath(new URL('./log-writer.fixture.ts', import.meta.url));
const processes = 4;
const writersEach = 4;
// biome-ignore lint/style/noProcessEnv: the long form of the same test.
const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';
const eventsEach = isNightly ? 5_000 : 2_000;
const repeats = isNightly ? 10 : 1;

async function writeInProcess(url: string): Promise<void> {
  const args = [
    '--conditions=source',
    writer,
    '--url',
    url,
    '--writers',
    `${writersEach}`,
    '--events',
    `${eventsEach}`,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(errors);
}

/** Follows positions as a consumer does, and tells what it was shown. */
async function follow<T>(
  read: (after: number) => Promise<T[]>,
  positionOf: (row: T) => number,
  isOver: () => boolean,
) {
  const shown: T[] = [];
  for (let after = 0; ; ) {
    const wasOver = isOver();
    const page = await read(after);
    shown.push(...page);
    after = page.length > 0 ? Math.max(...page.map(positionOf)) : after;
    if (wasOver && page.length === 0) return shown;
    if (page.length === 0) await sleep(1);
  }
}

/** Commits late, with everything a transaction may hold: an id, the naive table's next number, at last the append lock. */
async function pause(url: string, isOver: () => boolean): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let pauses = 0;
  for (; !isOver(); pauses++) {
    // In one go: what this process stands still for is not added to it.
    await client.query(`begin; insert into naive_log default values; select pg_sleep(0.15);
      select position from es.head for update; select pg_sleep(0.1); commit`);
    await sleep(20);
  }
  await client.end();
  return pauses;
}

test('a tailing reader misses nothing of sixteen writers in four processes, where a naive one does', {
  repeats: repeats - 1,
  timeout: 180_000 * repeats,
}, async () => {
  const url = await newDatabase();
  const store = await openStore(url);
  await store.pool.query('create table naive_log (position int8 generated always as identity primary key)');
  let isOver = false;
  const over = () => isOver;
  const writing = Promise.all(Array.from({ length: processes }, () => writeInProcess(url))).finally(() => {
    isOver = true;
  });
  const [events, naive, pauses] = await Promise.all([
    follow(
      (after) => store.readAll({ after, limit: 500 }),
      ({ position }) => position,
      over,
    ),
    follow(
      async (after) => {
        const { rows } = await store.pool.query<{ position: number }>(
          'select position from naive_log where position > $1 order by position',
          [after],
        );
        return rows;
      },
      ({ position }) => position,
      over,
    ),
    pause(url, over),
    writing,
  ]);

  const written = processes * eventsEach;
  expect(events.map(({ position }) => position)).toEqual(
    Array.from({ length: written }, (_, index) => index + 1),
  );
  const nextVersion = new Map<string, number>();
  for (const { streamId, streamVersion } of events) {
    expect(streamVersion).toBe((nextVersion.get(streamId) ?? 0) + 1);
    nextVersion.set(streamId, streamVersion);
  }
  expect(nextVersion.size).toBe(processes * writersEach);
  let lastRecordedAt = '';
  for (const { recordedAt } of events) {
    expect(recordedAt >= lastRecordedAt).toBe(true);
    lastRecordedAt = recordedAt;
  }
  expect(pauses).toBeGreaterThan(0);

  // The canary: the load is harsh enough to show what the append lock prevents.
  const { rows } = await store.pool.query<{ count: number }>('select count(*) from naive_log');
  expect(naive.length).toBeLessThan(rows[0]?.count ?? 0);
});

test('a paused transaction holds up neither reading nor, without the lock, writing', async () => {
  const url = await newDatabase();
  const store = await openStore(url);
  await store.append(request());
  const paused = new pg.Client({ connectionString: url });
  await paused.connect();
  onTestFinished(() => paused.end());
  await paused.query('create table elsewhere (id int); begin; insert into elsewhere values (1)');
  expect(await store.append(request())).toMatchObject({ position: 2 });
  expect(await store.readAll({ after: 0, limit: 10 })).toHaveLength(2);
});
