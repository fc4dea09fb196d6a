import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { toMicroseconds } from '../microseconds.ts';
import type { AppendRequest, EventStore } from '../port.ts';
import { type EngineUnderTest, request, stream } from './requests.contract.ts';

/** What is decided together with the events: claims, checkpoints, timers, and the time of it all. */
export function describeEffects(engine: () => EngineUnderTest): void {
  let store: EventStore;
  beforeAll(() => {
    store = engine().store;
  });
  const appendAll = (requests: AppendRequest[]) => Promise.all(requests.map((one) => store.append(one)));

  describe('claims', () => {
    const claim = (op: 'take' | 'release', key: string, owner: string) => ({
      op,
      scope: 'name',
      key,
      owner,
    });

    test('are taken by one, refused to others, free again once released', async () => {
      const key = randomUUID();
      expect(await store.append(request({ claims: [claim('take', key, 'a')] }))).toMatchObject({
        kind: 'appended',
      });
      const refused = request({ claims: [claim('take', key, 'b')] });
      expect(await store.append(refused)).toEqual({ kind: 'claim-taken', scope: 'name', key, owner: 'a' });
      expect(await store.readStream(refused.streamId)).toEqual([]);
      expect(await store.append(request({ claims: [claim('release', key, 'b')] }))).toMatchObject({
        kind: 'appended',
      });
      expect(await store.append(refused)).toMatchObject({ kind: 'claim-taken' });
      await store.append(request({ claims: [claim('release', key, 'a')] }));
      expect(await store.append(refused)).toMatchObject({ kind: 'appended' });
    });

    test('may be taken again by their owner and handed over within one append', async () => {
      const key = randomUUID();
      await store.append(request({ claims: [claim('take', key, 'a')] }));
      expect(
        await store.append(request({ claims: [claim('take', key, 'a'), claim('take', key, 'a')] })),
      ).toMatchObject({ kind: 'appended' });
      expect(
        await store.append(request({ claims: [claim('take', key, 'b'), claim('release', key, 'a')] })),
      ).toMatchObject({ kind: 'appended' });
      expect(await store.append(request({ claims: [claim('take', key, 'a')] }))).toMatchObject({
        kind: 'claim-taken',
        owner: 'b',
      });
    });

    test('are won by exactly one of a hundred', async () => {
      const key = randomUUID();
      const results = await appendAll(
        Array.from({ length: 100 }, (_, i) =>
          request({ expectedVersion: 0, claims: [claim('take', key, `o${i}`)] }),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'claim-taken')).toHaveLength(99);
    });

    test('of different scopes do not meet', async () => {
      const key = randomUUID();
      const results = await appendAll(
        ['x', 'y'].map((scope) => request({ claims: [{ op: 'take', scope, key, owner: scope }] })),
      );
      expect(results.map(({ kind }) => kind)).toEqual(['appended', 'appended']);
    });
  });

  describe('checkpoints', () => {
    test('move with the append of whoever knows where they are', async () => {
      const processor = randomUUID();
      const move = (from: number, to: number) =>
        store.append(request({ checkpoint: { processor, from, to } }));
      expect(await move(3, 5)).toEqual({ kind: 'checkpoint-moved', actual: 0 });
      expect(await move(0, 5)).toMatchObject({ kind: 'appended' });
      expect(await move(0, 7)).toEqual({ kind: 'checkpoint-moved', actual: 5 });
      expect(await move(5, 7)).toMatchObject({ kind: 'appended' });
    });

    test('let exactly one of two owners act, and the other writes nothing', async () => {
      const checkpoint = { processor: randomUUID(), from: 0, to: 1 };
      const requests = [request({ checkpoint }), request({ checkpoint })];
      expect((await appendAll(requests)).map(({ kind }) => kind).sort()).toEqual([
        'appended',
        'checkpoint-moved',
      ]);
      const written = await Promise.all(requests.map(({ streamId }) => store.readStream(streamId)));
      expect(written.flat()).toHaveLength(1);
    });
  });

  describe('timers', () => {
    const find = async (id: string) => (await engine().timers()).find((timer) => timer.id === id);

    test('are scheduled, moved and cancelled with an append', async () => {
      const id = randomUUID();
      await store.append(
        request({ timers: [{ id, kind: 'k', due: { afterMs: 600_000 }, payload: { n: 1 } }] }),
      );
      const first = await find(id);
      expect(first?.dueInMs).toBeGreaterThan(500_000);
      expect(first?.dueInMs).toBeLessThanOrEqual(600_000);
      const at = '2099-01-01T00:00:00.000Z';
      await store.append(request({ timers: [{ id, kind: 'k2', due: { at }, payload: {} }] }));
      expect(await find(id)).toMatchObject({ kind: 'k2' });
      expect(new Date((await find(id))?.dueAt ?? 0).toISOString()).toBe(at);
      await store.append(request({ cancelTimers: [id] }));
      expect(await find(id)).toBeUndefined();
    });

    test('fire by exactly one of the appends that found them due', async () => {
      const id = randomUUID();
      await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 0 }, payload: {} }] }));
      const firesTimer = { id, dueAt: (await find(id))?.dueAt ?? '' };
      const results = await appendAll(Array.from({ length: 5 }, () => request({ firesTimer })));
      expect(results.map(({ kind }) => kind).sort()).toEqual(['appended', ...Array(4).fill('timer-gone')]);
      expect(await find(id)).toBeUndefined();
    });

    test('do not fire once they were moved', async () => {
      const id = randomUUID();
      await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 0 }, payload: {} }] }));
      const firesTimer = { id, dueAt: (await find(id))?.dueAt ?? '' };
      await store.append(request({ timers: [{ id, kind: 'k', due: { afterMs: 1_000 }, payload: {} }] }));
      expect(await store.append(request({ firesTimer }))).toEqual({ kind: 'timer-gone' });
      expect(await find(id)).toBeDefined();
    });
  });

  describe('the clock', () => {
    test('is the platform’s: recorded times follow it and always increase', async () => {
      const streamId = stream();
      const recordedAt = async (secondsAhead: number) => {
        await engine().setClock(secondsAhead);
        await store.append(request({ streamId }));
        const last = (await store.readStream(streamId)).at(-1);
        return toMicroseconds(last?.recordedAt ?? '') / 1000;
      };
      const [before, ahead, back] = [await recordedAt(0), await recordedAt(86_400), await recordedAt(0)];
      expect(ahead - before).toBeGreaterThan(86_399_000);
      expect(ahead - before).toBeLessThan(86_460_000);
      expect(back).toBeGreaterThan(ahead);
      expect(back - ahead).toBeLessThan(1_000);
      await engine().setClock(90_000);
      expect((await store.now()).getTime() - Date.now()).toBeGreaterThan(89_000_000);
      await engine().setClock(0);
    });
  });
}
