import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cut, eventually, startCuttingProxy, startOwnPostgres } from '@parley/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { happened, request, stream } from '../../contract/requests.contract.ts';
import { type AppendRequest, StoreUnavailable } from '../../port.ts';
import type { InlineProjector } from '../../sql.ts';
import type { PostgresEventStore } from '../postgres-event-store.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

async function openBehindProxy(inlineProjector?: InlineProjector) {
  const url = await newDatabase();
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  const store = await openStore(proxy.url, inlineProjector ? { inlineProjector } : {});
  return { store, proxy };
}

/** Notes every position once, or fails. */
const seenTable = 'create table seen (position int8 primary key)';
const seenProjector: InlineProjector = {
  views: [],
  async project({ tx, events }) {
    const values = [events.map(({ position }) => position)];
    void tx.query({ name: 'seen', text: 'insert into seen select * from unnest($1::int8[])', values });
  },
};

const command = () => ({ commandId: randomUUID(), fingerprint: '', reply: '{}' });

describe('an append whose connection breaks', () => {
  const kinds: [string, Partial<AppendRequest>][] = [
    ['with an expected version', { expectedVersion: 0 }],
    ['of any version', { expectedVersion: 'any' }],
    ['with a command', { expectedVersion: 0, command: command() }],
    [
      'that takes a claim',
      { expectedVersion: 0, claims: [{ op: 'take', scope: 's', key: 'k', owner: 'o' }] },
    ],
    ['that moves a checkpoint', { checkpoint: { processor: 'p', from: 0, to: 1 } }],
  ];

  test.each(kinds)(
    '%s, before or after Postgres has it, is written once and answered',
    async (_, overrides) => {
      const { store, proxy } = await openBehindProxy();
      for (const [index, cut] of (['answer', 'request'] satisfies Cut[]).entries()) {
        const again = {
          ...(overrides.command && { command: command() }),
          ...(overrides.checkpoint && { checkpoint: { processor: 'p', from: index, to: index + 1 } }),
        };
        const broken = proxy.cutWriter(cut);
        const streamId = stream();
        const events = [happened(1), happened(2)];
        // The owner of the claim stays the same: taking it twice is no conflict.
        const result = await store.append(request({ ...overrides, ...again, streamId, events }));
        await broken;
        expect(result).toMatchObject({ kind: 'appended', version: 2, position: 2 * (index + 1) });
        expect(await store.readStream(streamId)).toHaveLength(2);
        expect((await store.readStream(streamId)).at(-1)?.recordedAt).toBe(
          result.kind === 'appended' ? result.recordedAt : undefined,
        );
      }
      expect(await store.head()).toBe(4);
    },
  );

  test('as part of a run, before or after Postgres has it, is written once and answered', async () => {
    const { store, proxy } = await openBehindProxy();
    for (const cut of ['answer', 'request'] satisfies Cut[]) {
      const broken = proxy.cutWriter(cut);
      const streamId = stream();
      const run = Array.from({ length: 20 }, (_, expectedVersion) =>
        request({ streamId, expectedVersion, command: command() }),
      );
      const results = await store.appendRun(run);
      await broken;
      expect(results).toMatchObject(
        run.map((_, index) => ({ value: { kind: 'appended', version: index + 1 } })),
      );
      expect(await store.readStream(streamId)).toHaveLength(20);
    }
  });

  test('with a projector, at any point of its transaction, is written and projected once', async () => {
    const { store, proxy } = await openBehindProxy(seenProjector);
    await store.pool.query(seenTable);
    let appends = 0;
    for (const cut of ['request', 'answer'] satisfies Cut[]) {
      for (const packets of [0, 1, 2]) {
        const broken = proxy.cutWriter(cut, packets);
        await store.append(request({ expectedVersion: 0 }));
        appends++;
        // Packets may come joined: what was not cut in one append is cut in the next.
        for (let isBroken = false; !isBroken; ) {
          isBroken = await Promise.race([broken.then(() => true), sleep(5, false)]);
          if (!isBroken) {
            await store.append(request({ expectedVersion: 0 }));
            appends++;
          }
        }
      }
    }
    expect(await store.head()).toBe(appends);
    expect((await store.pool.query('select from seen')).rowCount).toBe(appends);
  });

  test('and that nobody could recognise in the log is told that its outcome is unknown', async () => {
    const { store, proxy } = await openBehindProxy();
    const broken = proxy.cutWriter('answer');
    const timers = [{ id: 't', kind: 'k', due: { afterMs: 1 }, payload: {} }];
    await expect(store.append(request({ events: [], timers }))).rejects.toMatchObject({
      name: 'StoreUnavailable',
      outcome: 'unknown',
    });
    await broken;
    expect(await store.append(request())).toMatchObject({ kind: 'appended' });
  });

  test('and that has only a command is answered as known', async () => {
    const { store, proxy } = await openBehindProxy();
    const broken = proxy.cutWriter('answer');
    const result = await store.append(request({ events: [], command: command() }));
    await broken;
    expect(result).toMatchObject({ kind: 'repeated', reply: '{}' });
  });
});

/** Appends without pause until told to stop; remembers what was acknowledged and what may have been written. */
function startLoad(store: PostgresEventStore, writers: number) {
  const acknowledged = new Set<string>();
  const unknown = new Set<string>();
  let isOver = false;
  const write = async () => {
    while (!isOver) {
      const note = randomUUID();
      try {
        const result = await store.append(request({ expectedVersion: 0, events: [happened(note)] }));
        if (result.kind !== 'appended') throw new Error(`ended as ${result.kind}`);
        acknowledged.add(note);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (error.outcome === 'unknown') unknown.add(note);
      }
    }
  };
  const running = Promise.all(Array.from({ length: writers }, write));
  return {
    acknowledged,
    async stop() {
      isOver = true;
      await running;
      const written = (await store.readAll({ after: 0, limit: 1_000_000 })).map(
        ({ data }) => (data as { note: string }).note,
      );
      expect(new Set(written).size).toBe(written.length);
      expect([...acknowledged].filter((note) => !written.includes(note))).toEqual([]);
      expect(written.filter((note) => !acknowledged.has(note) && !unknown.has(note))).toEqual([]);
    },
  };
}

const withAndWithout: [string, InlineProjector | undefined][] = [
  ['', undefined],
  [', with a projector', seenProjector],
];

test.each(withAndWithout)(
  'acknowledged appends are there once when the writer’s backend is ended again and again%s',
  async (_, projector) => {
    const store = await openStore(await newDatabase(), projector ? { inlineProjector: projector } : {});
    await store.pool.query(seenTable);
    const load = startLoad(store, 16);
    const seenPids = new Set<number>();
    for (let round = 0; round < 8; round++) {
      const { size } = load.acknowledged;
      await eventually(async () => {
        expect(load.acknowledged.size).toBeGreaterThan(size + 20);
        const { rows } = await store.pool.query<{ pid: number }>(
          `select pid, pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'parley-writer' and datname = current_database()`,
        );
        expect(rows).toHaveLength(1);
        for (const { pid } of rows) seenPids.add(pid);
      });
    }
    await load.stop();
    expect(seenPids.size).toBe(8);
    const { rowCount } = await store.pool.query('select from seen');
    expect(rowCount).toBe(projector ? await store.head() : 0);
  },
);

test('acknowledged appends are there once when the connection is cut at any packet of a batch', async () => {
  const { store, proxy } = await openBehindProxy(seenProjector);
  await store.pool.query(seenTable);
  const load = startLoad(store, 16);
  for (const cut of ['request', 'answer'] satisfies Cut[])
    for (let packets = 0; packets < 6; packets += 1) {
      const { size } = load.acknowledged;
      await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(size + 20));
      await proxy.cutWriter(cut, packets);
    }
  await load.stop();
  expect((await store.pool.query('select from seen')).rowCount).toBe(await store.head());
});

test('of a connection that is lost at rest is told why, and not all that the driver knows of it', async () => {
  const url = await newDatabase();
  const errors: unknown[] = [];
  const store = await openStore(url, { onError: (error) => errors.push(error) });
  const { rows } = await store.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const other = await openStore(url);
  await other.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  await eventually(() => expect(errors).toEqual([expect.objectContaining({ code: '57P01' })]));
  expect(errors[0]).not.toHaveProperty('client');
});

test('while Postgres is away, an append waits its turn and is then told that nothing was written', async () => {
  const server = await startOwnPostgres();
  onTestFinished(() => server.stop());
  const errors: unknown[] = [];
  const store = await openStore(server.url, {
    timeouts: { turnMs: 100 },
    onError: (error) => errors.push(error),
  });
  await eventually(() => store.append(request()));
  await server.goAway();
  // What is sent before the loss is noticed may have been written, for all that the store knows.
  await eventually(() => expect(errors).not.toEqual([]));
  await expect(store.append(request())).rejects.toMatchObject({
    name: 'StoreUnavailable',
    outcome: 'not-written',
  });
  await server.comeBack();
  expect(await eventually(() => store.append(request()))).toMatchObject({ kind: 'appended', position: 2 });
});

test('a killed and restarted Postgres costs no acknowledged append, and the store goes on without a restart', async () => {
  const server = await startOwnPostgres();
  onTestFinished(() => server.stop());
  const store = await openStore(server.url);
  const stopWaking = store.onAppended(() => undefined);
  const load = startLoad(store, 16);
  for (let round = 0; round < 2; round++) {
    const { size } = load.acknowledged;
    await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(size + 100));
    await server.crash(0);
  }
  const { size } = load.acknowledged;
  await eventually(() => expect(load.acknowledged.size).toBeGreaterThan(size + 100));
  await load.stop();
  stopWaking();
});
