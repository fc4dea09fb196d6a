import { beforeEach, describe, expect, test } from 'vitest';
import { stream } from '../contract/requests.contract.ts';
import {
  add,
  type Count,
  type Counted,
  counting,
  metadata,
  newCounter,
  type Reply,
} from '../counter.fixture.ts';
import type { RecordedEvent } from '../port.ts';
import { Aggregates } from './aggregates.ts';
import type { Decision, Fold, Rejected } from './decider.ts';
import { Contended } from './lost-races.ts';

describe('aggregates', () => {
  let counter: ReturnType<typeof newCounter>;
  beforeEach(() => {
    counter = newCounter();
  });
  const execute: ReturnType<typeof newCounter>['execute'] = (...args) => counter.execute(...args);

  const onRead = (see: (page: readonly RecordedEvent[]) => void) => {
    const { store } = counter;
    const readStream = store.readStream.bind(store);
    store.readStream = async (...args) => {
      const page = await readStream(...args);
      see(page);
      return page;
    };
  };

  test('decide on the folded stream and answer with the reply as JSON text', async () => {
    await counter.behind(40);
    expect(await execute(add(2))).toEqual({
      kind: 'done',
      body: '{"sum":42}',
      version: 2,
      position: 2,
      replayed: false,
    });
  });

  test('pass a reply that is JSON text on as it is', async () => {
    const decide = () => ({ events: [], reply: '{"a":  1}' });
    const result = await counter.aggregates.execute({
      streamId: counter.streamId,
      category: 'thing',
      accountId: 7,
      fold: counting,
      metadata,
      command: null,
      decide,
    });
    expect(result).toMatchObject({ kind: 'done', body: '{"a":  1}', version: 0 });
  });

  test('read nothing for a stream that is new, nor for one they know', async () => {
    let reads = 0;
    const read = counter.store.readStream.bind(counter.store);
    counter.store.readStream = (...args) => {
      reads++;
      return read(...args);
    };
    await execute(add(1), { isNew: true });
    await execute(add(2));
    expect(reads).toBe(0);
    expect(await counter.aggregates.load(counter.streamId, counting)).toMatchObject({
      state: { sum: 3 },
      version: 2,
    });
  });

  test('recall what they know of a stream as it was, and read one that they do not know', async () => {
    await counter.behind(1);
    const recall = () => counter.aggregates.recall(counter.streamId, counting);
    expect((await recall()).state.sum).toBe(1);
    await counter.behind(10);
    expect((await recall()).state.sum).toBe(1);
    await counter.aggregates.load(counter.streamId, counting);
    expect((await recall()).state.sum).toBe(11);
  });

  test('hold a part of a long stream in memory at a time', async () => {
    const { store, streamId, aggregates } = counter;
    const events = Array.from({ length: 1_000 }, () => ({ type: 'Counted' as const, data: { by: 1 } }));
    const append = { streamId, category: 'thing', accountId: 7, metadata, events } as const;
    for (const expectedVersion of [0, 1_000]) await store.append({ ...append, expectedVersion });
    const read: number[] = [];
    onRead((page) => read.push(page.length));
    expect(await execute(add(1))).toMatchObject({ kind: 'done', body: '{"sum":2001}', version: 2_001 });
    expect((await aggregates.loadAt(streamId, counting, { version: 1_234 })).state.sum).toBe(1_234);
    expect((await aggregates.loadAt(streamId, counting, { position: 7 })).state.sum).toBe(7);
    expect(Math.max(...read)).toBe(500);
  });

  test('hold few events of a stream in memory at a time where they are large', async () => {
    const { store, streamId, aggregates } = counter;
    const data = { by: 1, about: 'x'.repeat(100_000) };
    const events = Array.from({ length: 400 }, () => ({ type: 'Counted' as const, data }));
    const append = { streamId, category: 'thing', accountId: 7, metadata, events } as const;
    await store.append({ ...append, expectedVersion: 0 });
    const read: number[] = [];
    onRead((page) => read.push(JSON.stringify(page).length));
    expect((await aggregates.load(streamId, counting)).state.sum).toBe(400);
    expect(Math.max(...read)).toBeLessThan(12_000_000);
  });

  test('decide again on the newer state after a lost race', async () => {
    await execute(add(1));
    await counter.behind(10);
    expect(await execute(add(100))).toMatchObject({ kind: 'done', body: '{"sum":111}', version: 3 });
  });

  test('decide again as long as it takes others to finish a run', async () => {
    let decisions = 0;
    const result = await execute(async (state) => {
      decisions++;
      if (decisions <= 6) await counter.behind(1);
      return add(1)(state);
    });
    expect(result).toMatchObject({ kind: 'done', body: '{"sum":7}' });
    expect(decisions).toBe(7);
  });

  test('throw that the stream is contended when their time for races is over, not before three more tries', async () => {
    const hasty = new Aggregates(counter.store, { racingMs: 0 });
    let decisions = 0;
    const decide = async (state: Count) => {
      decisions++;
      await counter.behind(1);
      return add(1)(state);
    };
    await expect(execute(decide, {}, hasty)).rejects.toThrow(Contended);
    expect(decisions).toBe(4);
  });

  test('run commands on one stream one after another, so that they never race each other', async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => execute(add(1))));
    expect(results.map((result) => (result.kind === 'done' ? result.version : 0))).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test('never let a failed command stop the next one', async () => {
    const [failed, next] = await Promise.allSettled([
      execute(() => {
        throw new Error('a bug');
      }),
      execute(add(1)),
    ]);
    expect([failed.status, next.status]).toEqual(['rejected', 'fulfilled']);
  });

  test('never say no because of what they remember, when the log has moved on', async () => {
    const notBelow =
      (least: number) =>
      (state: Count): Decision<Counted, Reply> | Rejected =>
        state.sum < least ? { code: 'too_little' } : add(0)(state);
    await execute(add(1));
    await counter.behind(10);
    expect(await execute(notBelow(11))).toMatchObject({ kind: 'done', body: '{"sum":11}' });
    expect(await execute(notBelow(12))).toEqual({ kind: 'rejected', rejection: { code: 'too_little' } });
  });

  test('show another account’s stream as one that does not exist', async () => {
    await execute(add(5));
    const seen: [number, number][] = [];
    const result = await execute(
      ({ sum }, version) => {
        seen.push([sum, version]);
        return { code: 'not_found' };
      },
      { accountId: 8 },
    );
    expect(result).toEqual({ kind: 'rejected', rejection: { code: 'not_found' } });
    expect(new Set(seen.map(String))).toEqual(new Set(['0,0']));
    const hasty = new Aggregates(counter.store, { racingMs: 0 });
    await expect(execute(add(1), { accountId: 8 }, hasty)).rejects.toThrow(Contended);
    expect((await counter.store.readStream(counter.streamId)).map(({ accountId }) => accountId)).toEqual([7]);
  });

  describe('claims', () => {
    const claims = [{ op: 'take', scope: 'name', key: 'x', owner: 'me' }] as const;

    test('that are taken become what the decision says', async () => {
      const decide = (state: Count) => ({
        ...add(1)(state),
        claims,
        onClaimTaken: ({ key }: { key: string }) => ({ code: `taken_${key}` }),
      });
      await execute(decide);
      const other = { ...claims[0], owner: 'other' };
      const result = await execute((state) => ({ ...decide(state), claims: [other] }), {
        streamId: stream(),
      });
      expect(result).toEqual({ kind: 'rejected', rejection: { code: 'taken_x' } });
    });

    test('that are taken and nobody spoke about are a bug', async () => {
      await execute((state) => ({ ...add(1)(state), claims }));
      const other = [{ ...claims[0], owner: 'other' }];
      await expect(execute((state) => ({ ...add(1)(state), claims: other }))).rejects.toThrow('name');
    });
  });

  describe('a moment', () => {
    test('is a version, a position or a time', async () => {
      for (const [minute, by] of [1, 10, 100].entries()) {
        counter.clock.now = new Date(Date.UTC(2026, 10, 21, 10, minute));
        await counter.behind(by);
      }
      const at = async (moment: object) =>
        (await counter.aggregates.loadAt(counter.streamId, counting, moment)).state.sum;
      expect(await at({})).toBe(111);
      expect(await at({ version: 2 })).toBe(11);
      expect(await at({ position: 1 })).toBe(1);
      expect(await at({ time: '2026-11-21T10:01:00.000000Z' })).toBe(11);
      expect(await at({ time: '2026-11-21T11:00:59.999999+01:00' })).toBe(1);
      expect(await at({ version: 2, time: '2026-11-21T12:00:00Z' })).toBe(11);
      expect(
        await counter.aggregates.loadAt(counter.streamId, counting, { time: '2026-11-21T09:00:00Z' }),
      ).toEqual({
        state: { sum: 0 },
        version: 0,
        accountId: null,
        position: 0,
        recordedAt: null,
      });
      await expect(at({ time: 'yesterday' })).rejects.toThrow(RangeError);
    });

    test('tells the account, position and time of the last event', async () => {
      await execute(add(1));
      const loaded = await counter.aggregates.load(counter.streamId, counting);
      expect(loaded).toEqual(await counter.aggregates.loadAt(counter.streamId, counting, {}));
      expect(loaded).toMatchObject({ accountId: 7, position: 1, recordedAt: '2026-11-21T10:00:00.000000Z' });
    });
  });

  test('remember only so many streams and decide rightly on the others', async () => {
    const few = new Aggregates(counter.store, { maxCached: 2 });
    const streams = Array.from({ length: 5 }, stream);
    for (const id of [...streams, ...streams, ...streams]) await execute(add(1), { streamId: id }, few);
    for (const id of streams) expect((await few.load(id, counting)).state.sum).toBe(3);
  });

  test('fold one stream in different ways', async () => {
    await execute(add(5));
    const highest: Fold<Count, Counted> = {
      initialState: { sum: 0 },
      evolve: (state, { data }) => ({ sum: Math.max(state.sum, data.by) }),
    };
    await execute(add(3));
    expect((await counter.aggregates.load(counter.streamId, highest)).state).toEqual({ sum: 5 });
    expect((await counter.aggregates.load(counter.streamId, counting)).state).toEqual({ sum: 8 });
  });
});
