import { Socket } from 'node:net';
import { createTestDatabase, eventually } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { counted, countersProjection, toCounter } from './fixtures/counters.fixture.ts';
import { fireHandlers, setTimer } from './fixtures/fire.fixture.ts';
import { rowsOf, startCopy } from './fixtures/test-service.fixture.ts';
import { keepProjectionsCurrent } from './keep-current.ts';
import { startTimers } from './timers.ts';

/** A pool whose connections can be lost without a word: what is sent on those that there are does not arrive. */
function losingPool(connectionString: string) {
  const sockets: Socket[] = [];
  const stream = () => {
    const socket = new Socket();
    sockets.push(socket);
    return socket;
  };
  const pool = new pg.Pool({ connectionString, stream });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  return {
    pool,
    goSilent() {
      for (const socket of sockets) socket.write = () => true;
    },
  };
}

async function newCopies() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const start = async (version: number) => {
    const copy = await startCopy(url, [countersProjection(version)]);
    onTestFinished(() => copy.close());
    return copy;
  };
  return { url, start };
}

test('timers whose connection was lost without a word go on over another one', async () => {
  const { url, start } = await newCopies();
  const store = await start(1);
  const { pool, goSilent } = losingPool(url);
  const timers = startTimers({ store, pool, handlers: fireHandlers });
  onTestFinished(() => timers.close());
  const fired = async () => (await store.readAll({ after: 0, limit: 10, types: ['Fired'] })).length;
  await store.append(setTimer('before', 0));
  await eventually(async () => expect(await fired()).toBe(1));
  goSilent();
  await store.append(setTimer('after', 0));
  await eventually(async () => expect(await fired()).toBe(2), 20_000);
});

test('views are kept current over another connection when one was lost without a word', async () => {
  const { url, start } = await newCopies();
  const counters = countersProjection(1);
  const older = await start(1);
  const { pool, goSilent } = losingPool(url);
  const keeper = keepProjectionsCurrent({ store: older, pool, projections: [counters] });
  onTestFinished(() => keeper.close());
  const newer = await start(2);
  const total = async () => (await rowsOf(older, counters))[0]?.total;
  await newer.append(toCounter('a', counted(1)));
  await eventually(async () => expect(await total()).toBe(1));
  goSilent();
  await newer.append(toCounter('a', counted(1)));
  await eventually(async () => expect(await total()).toBe(2), 20_000);
});
