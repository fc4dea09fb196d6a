import { Socket } from 'node:net';
import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually, startCuttingProxy } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { counted, countersProjection, toCounter } from './fixtures/counters.fixture.ts';
import { echoReactor } from './fixtures/echo.fixture.ts';
import { fireHandlers, setTimer } from './fixtures/fire.fixture.ts';
import { rowsOf, startCopy } from './fixtures/test-service.fixture.ts';
import { keepProjectionsCurrent } from './projections/keep-current.ts';
import { startReactors } from './reactors/start-reactors.ts';
import { startTimers } from './timers/timers.ts';

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

const firedIn = async (store: PostgresEventStore) =>
  (await store.readAll({ after: 0, limit: 10, types: ['Fired'] })).length;

test('timers whose connection was lost without a word go on over another one', async () => {
  const { url, start } = await newCopies();
  const store = await start(1);
  const { pool, goSilent } = losingPool(url);
  const timers = startTimers({ store, pool, handlers: fireHandlers });
  onTestFinished(() => timers.close());
  await store.append(setTimer('before', 0));
  await eventually(async () => expect(await firedIn(store)).toBe(1));
  goSilent();
  await store.append(setTimer('after', 0));
  await eventually(async () => expect(await firedIn(store)).toBe(2));
});

test('timers that a process had taken when it fell silent are fired by others soon', async () => {
  const { url, start } = await newCopies();
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  const [silent, store] = [await startCopy(proxy.url), await start(1)];
  onTestFinished(() => silent.close());
  const [taken, over] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  const fire = () => {
    taken.resolve();
    return over.promise;
  };
  const timers = startTimers({ store: silent, pool: silent.pool, handlers: { fire } });
  onTestFinished(() => timers.close());
  await store.append(setTimer('once', 0));
  await taken.promise;
  proxy.goSilent();
  const others = startTimers({ store, pool: store.pool, handlers: fireHandlers });
  onTestFinished(() => others.close());
  onTestFinished(() => over.resolve(undefined));
  await eventually(async () => expect(await firedIn(store)).toBe(1));
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
  await eventually(async () => expect(await total()).toBe(2));
});

test('a reactor whose connections were lost without a word keeps its position over others', async () => {
  const reactor = echoReactor({ laneOf: () => 'one' });
  const { url, start } = await newCopies();
  const store = await start(1);
  const { pool, goSilent } = losingPool(url);
  const running = startReactors({ store, pool, reactors: [reactor] });
  onTestFinished(() => running.close());
  const goesOn = (after: number, deadlineMs?: number) =>
    eventually(async () => {
      await store.append(toCounter('a', counted(1)));
      const { rows } = await store.pool.query<{ position: number }>(
        `select position from es.checkpoints where processor = '${reactor.checkpoint}'`,
      );
      expect(rows[0]?.position).toBeGreaterThan(after);
    }, deadlineMs);
  await goesOn(0);
  goSilent();
  await goesOn(await store.head(), 60_000);
});
