import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { Aggregates, type ExecuteOptions } from './aggregates.ts';
import type { Decision, Fold, Rejected } from './decider.ts';
import { stream } from './event-store.contract.ts';
import { createInMemoryEventStore, type InMemoryEventStore } from './in-memory.ts';

type Counted = { readonly type: 'Counted'; readonly data: { readonly by: number } };
interface Count {
  readonly sum: number;
}
interface Reply {
  readonly sum: number;
}

const counting: Fold<Count, Counted> = {
  initialState: { sum: 0 },
  evolve: (state, { type, data }) => (type === 'Counted' ? { sum: state.sum + data.by } : state),
};

const add =
  (by: number) =>
  ({ sum }: Count): Decision<Counted, Reply> => ({
    events: [{ type: 'Counted', data: { by } }],
    reply: { sum: sum + by },
  });

const metadata = {
  correlationId: 'c',
  causationId: 'c',
  commandId: null,
  actor: { kind: 'system', id: 't' },
} as const;

describe('aggregates', () => {
  let now = new Date('2026-11-21T10:00:00.000Z');
  let store: InMemoryEventStore;
  let aggregates: Aggregates;
  let streamId: string;
  beforeEach(() => {
    now = new Date('2026-11-21T10:00:00.000Z');
    store = createInMemoryEventStore({ now: () => now });
    aggregates = new Aggregates(store);
    streamId = stream();
  });

  const execute = (
    decide: ExecuteOptions<Count, Counted, Reply>['decide'],
    overrides: Partial<ExecuteOptions<Count, Counted, Reply>> = {},
    on = aggregates,
  ) =>
    on.execute({
      streamId,
      category: 'thing',
      accountId: 7,
      fold: counting,
      metadata,
      command: null,
      decide,
      ...overrides,
    });

  const behind = (by: number) =>
    store.append({
      streamId,
      category: 'thing',
      accountId: 7,
      events: [{ type: 'Counted', data: { by } }],
      expectedVersion: 'any',
      metadata,
    });

  test('decide on the folded stream and answer with the reply as JSON text', async () => {
    await behind(40);
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
    const result = await aggregates.execute({
      streamId,
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
    const read = store.readStream.bind(store);
    store.readStream = (...args) => {
      reads++;
      return read(...args);
    };
    await execute(add(1), { isNew: true });
    await execute(add(2));
    expect(reads).toBe(0);
    expect(await aggregates.load(streamId, counting)).toMatchObject({ state: { sum: 3 }, version: 2 });
  });

  test('decide again on the newer state after a lost race', async () => {
    await execute(add(1));
    await behind(10);
    expect(await execute(add(100))).toMatchObject({ kind: 'done', body: '{"sum":111}', version: 3 });
  });

  test('give up as contended after three lost races', async () => {
    let decisions = 0;
    const result = await execute(async (state) => {
      decisions++;
      await behind(1);
      return add(1)(state);
    });
    expect(result).toEqual({ kind: 'rejected', rejection: { code: 'contended' } });
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
    await behind(10);
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
    const written = await execute(add(1), { accountId: 8 });
    expect(written).toMatchObject({ kind: 'rejected', rejection: { code: 'contended' } });
    expect((await store.readStream(streamId)).map(({ accountId }) => accountId)).toEqual([7]);
  });

  describe('with a command id', () => {
    const command = (fingerprint: string | null = 'f') => ({ commandId: randomUUID(), fingerprint });

    test('answer a repeated command with the first reply, byte for byte, whatever happened since', async () => {
      const repeated = command();
      const first = await execute(add(1), { command: repeated });
      await execute(add(10));
      const decideNow = () => ({ code: 'it_is_too_late' });
      for (const decide of [add(1), decideNow])
        expect(await execute(decide, { command: repeated })).toEqual({ ...first, replayed: true });
      expect(await store.readStream(streamId)).toHaveLength(2);
    });

    test('refuse the id for another request', async () => {
      const { commandId } = command();
      await execute(add(1), { command: { commandId, fingerprint: 'one' } });
      for (const decide of [add(1), () => ({ code: 'no' })])
        expect(await execute(decide, { command: { commandId, fingerprint: 'two' } })).toEqual({
          kind: 'rejected',
          rejection: { code: 'idempotency_key_reuse' },
        });
    });

    test('refuse a caller’s own id after 24 hours, and replay one they did not choose', async () => {
      const [chosen, fresh] = [command(), command(null)];
      await execute(add(1), { command: chosen });
      await execute(add(1), { command: fresh });
      now = new Date('2026-11-22T10:00:00.000Z');
      expect(await execute(add(1), { command: chosen })).toMatchObject({ kind: 'done', replayed: true });
      now = new Date('2026-11-22T10:00:00.001Z');
      expect(await execute(add(1), { command: chosen })).toEqual({
        kind: 'rejected',
        rejection: { code: 'idempotency_key_expired' },
      });
      expect(await execute(add(1), { command: fresh })).toMatchObject({ kind: 'done', replayed: true });
      expect(await store.readStream(streamId)).toHaveLength(2);
    });

    test('say that a command still runs', async () => {
      const running = command();
      await store.append({
        streamId: stream(),
        category: 'thing',
        accountId: 7,
        events: [],
        expectedVersion: 0,
        metadata,
        command: { commandId: running.commandId, fingerprint: 'f', reply: null },
      });
      // A decision with an ordinary reply would complete it; the one that is asked again here says no.
      expect(await execute(() => ({ code: 'no' }), { command: running })).toEqual({
        kind: 'rejected',
        rejection: { code: 'idempotency_in_progress' },
      });
    });

    test('do not store a rejection', async () => {
      const rejected = command();
      await execute(() => ({ code: 'no' }), { command: rejected });
      expect(await execute(add(1), { command: rejected })).toMatchObject({ kind: 'done', replayed: false });
    });
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
        now = new Date(Date.UTC(2026, 10, 21, 10, minute));
        await behind(by);
      }
      const at = async (moment: object) => (await aggregates.loadAt(streamId, counting, moment)).state.sum;
      expect(await at({})).toBe(111);
      expect(await at({ version: 2 })).toBe(11);
      expect(await at({ position: 1 })).toBe(1);
      expect(await at({ time: '2026-11-21T10:01:00.000000Z' })).toBe(11);
      expect(await at({ time: '2026-11-21T11:00:59.999999+01:00' })).toBe(1);
      expect(await at({ version: 2, time: '2026-11-21T12:00:00Z' })).toBe(11);
      expect(await aggregates.loadAt(streamId, counting, { time: '2026-11-21T09:00:00Z' })).toEqual({
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
      const loaded = await aggregates.load(streamId, counting);
      expect(loaded).toEqual(await aggregates.loadAt(streamId, counting, {}));
      expect(loaded).toMatchObject({ accountId: 7, position: 1, recordedAt: '2026-11-21T10:00:00.000000Z' });
    });
  });

  test('remember only so many streams and decide rightly on the others', async () => {
    const few = new Aggregates(store, { maxCached: 2 });
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
    expect((await aggregates.load(streamId, highest)).state).toEqual({ sum: 5 });
    expect((await aggregates.load(streamId, counting)).state).toEqual({ sum: 8 });
  });
});
