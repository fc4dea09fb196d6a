import { eventually } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { request } from '../../contract/requests.contract.ts';
import { AppendQueueFull } from '../../port.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

/** Holds the append lock until it is told to let go. */
async function holdAppendLock(url: string): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; select position from es.head for update');
  return () => client.query('commit');
}

test('a full queue refuses at once, and what waits is written when it can be', async () => {
  const url = await newDatabase();
  const store = await openStore(url, { maxQueuedAppends: 10 });
  const release = await holdAppendLock(url);
  const inFlight = store.append(request());
  await eventually(async () => {
    const { rows } = await store.pool.query(
      "select from pg_stat_activity where application_name = 'parley-writer' and wait_event_type = 'Lock' and datname = current_database()",
    );
    expect(rows).toHaveLength(1);
  });
  const waiting = Array.from({ length: 10 }, () => store.append(request()));
  await expect(store.append(request())).rejects.toBeInstanceOf(AppendQueueFull);
  await release();
  const results = await Promise.all([inFlight, ...waiting]);
  expect(results.map(({ kind }) => kind)).toEqual(Array(11).fill('appended'));
  expect(await store.append(request())).toMatchObject({ kind: 'appended', position: 12 });
});

test('an append that does not get the lock in time is unavailable and certainly not written', async () => {
  const url = await newDatabase();
  const store = await openStore(url, { timeouts: { lockMs: 50 } });
  const release = await holdAppendLock(url);
  await expect(store.append(request())).rejects.toMatchObject({
    name: 'StoreUnavailable',
    outcome: 'not-written',
  });
  await release();
  expect(await store.append(request())).toMatchObject({ kind: 'appended', position: 1 });
});

test('a server that answers nothing counts as lost, and the append is answered in time', async () => {
  const url = await newDatabase();
  const store = await openStore(url, { timeouts: { answerMs: 1_000 } });
  const release = await holdAppendLock(url);
  const append = store.append(request({ expectedVersion: 0 }));
  await eventually(async () => {
    const { rowCount } = await store.pool.query(
      "select from pg_stat_activity where application_name = 'parley-writer' and datname = current_database()",
    );
    expect(rowCount).toBeGreaterThan(1);
  });
  await release();
  // The first try was still waiting for the lock at the server: whichever came first, the event is there once.
  expect(await append).toMatchObject({ kind: 'appended', version: 1 });
  expect(await store.head()).toBe(1);
});

test('closing writes what waits and refuses what comes later', async () => {
  const store = await openStore(await newDatabase());
  const waiting = Array.from({ length: 300 }, () => store.append(request()));
  const closing = store.close();
  await expect(store.append(request())).rejects.toMatchObject({
    name: 'StoreUnavailable',
    outcome: 'not-written',
  });
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(Array(300).fill('appended'));
  await closing;
});
