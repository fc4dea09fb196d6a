import { describe, expect, test } from 'vitest';
import { happened, request, stream } from '../../contract/requests.contract.ts';
import type { RecordedEvent } from '../../port.ts';
import type { InlineProjector } from '../../sql.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

async function openWith(project: InlineProjector['project']) {
  const store = await openStore(await newDatabase(), { inlineProjector: { views: [], project } });
  await store.pool.query('create table seen (position int8 primary key, note text)');
  const seen = async () =>
    (await store.pool.query('select position from seen order by 1')).rows.map(({ position }) => position);
  return { store, seen };
}

const insertSeen = (events: readonly RecordedEvent[]) => ({
  name: 'insert-seen',
  text: 'insert into seen (position) select * from unnest($1::int8[])',
  values: [events.map(({ position }) => position)],
});

describe('an inline projector', () => {
  test('gets the events as a reader finds them, in order, with the head before them', async () => {
    const heads: number[] = [];
    const got: RecordedEvent[] = [];
    const { store } = await openWith(async ({ events, previousHead }) => {
      heads.push(previousHead);
      got.push(...events);
    });
    await store.append(request({ events: [happened(1), happened(2)], accountId: null }));
    await Promise.all(
      Array.from({ length: 20 }, () => store.append(request({ events: [happened('\u{1F600}')] }))),
    );
    expect(got).toEqual(await store.readAll({ after: 0, limit: 100 }));
    expect(got.map(({ position }) => position)).toEqual(Array.from({ length: 22 }, (_, index) => index + 1));
    expect(heads.slice(0, 2)).toEqual([0, 2]);
  });

  test('is visible to every reader once the append is', async () => {
    const { store, seen } = await openWith(async ({ tx, events }) => {
      // Issued and not awaited: the store awaits it with the commit.
      void tx.query(insertSeen(events));
      void tx.query({ text: 'select 1' });
    });
    for (let position = 1; position <= 20; position++) {
      await store.append(request());
      expect(await seen()).toHaveLength(position);
    }
  });

  test('that fails rejects the append that it fails for, with everything undone, and no other', async () => {
    const { store, seen } = await openWith(async ({ tx, events }) => {
      void tx.query(insertSeen(events));
      if (events.some(({ type }) => type === 'Unknown')) void tx.query({ text: 'select 1 / 0' });
    });
    const bad = request({ events: [{ type: 'Unknown', data: {} }] });
    const good = Array.from({ length: 20 }, () => request());
    const outcomes = await Promise.allSettled(
      [...good.slice(0, 9), bad, ...good.slice(9)].map((one) => store.append(one)),
    );
    expect(outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([9]);
    expect(outcomes[9]).toMatchObject({ reason: { code: '22012' } });
    expect(await store.readStream(bad.streamId)).toEqual([]);
    expect(await seen()).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(await store.head()).toBe(20);
  });

  test('that fails leaves those alone that came while it ran', async () => {
    const behind: Promise<unknown>[] = [];
    const isBad = (events: readonly RecordedEvent[]) => events.some(({ type }) => type === 'Unknown');
    const { store, seen } = await openWith(async ({ tx, events }) => {
      // They wait for this batch's commit.
      if (behind.length === 0)
        for (const streamId of [stream(), stream(), stream()])
          behind.push(store.append(request({ streamId })), store.append(request({ streamId })));
      void tx.query(insertSeen(events));
      if (isBad(events)) void tx.query({ text: 'select 1 / 0' });
    });
    const bad = request({ events: [{ type: 'Unknown', data: {} }] });
    await expect(store.append(bad)).rejects.toMatchObject({ code: '22012' });
    const outcomes = await Promise.all(behind);
    expect(outcomes).toHaveLength(6);
    expect(outcomes.every((outcome) => Object(outcome).kind === 'appended')).toBe(true);
    expect(await store.readStream(bad.streamId)).toEqual([]);
    expect([await seen(), await store.head()]).toEqual([[1, 2, 3, 4, 5, 6], 6]);
  });

  test('that throws rejects the append in the same way', async () => {
    const { store } = await openWith(async () => {
      throw new TypeError('a bug');
    });
    await expect(store.append(request())).rejects.toThrow('a bug');
    expect(await store.head()).toBe(0);
    expect(await store.append(request({ events: [] }))).toMatchObject({ kind: 'appended' });
  });

  test('that swallows a failed query does not lose an acknowledged append', async () => {
    const { store } = await openWith(async ({ tx }) => {
      await tx.query({ text: 'select 1 / 0' }).catch(() => undefined);
    });
    await expect(store.append(request())).rejects.toThrow();
    expect(await store.head()).toBe(0);
  });

  test('runs again when it finds its checkpoint moved', async () => {
    let runs = 0;
    const { store, seen } = await openWith(async ({ tx, events, previousHead }) => {
      runs++;
      const from = runs === 1 ? previousHead + 5 : previousHead;
      void tx.query({
        text: "select es.advance_checkpoint('p', $1, $2)",
        values: [from, events.at(-1)?.position],
      });
      void tx.query(insertSeen(events));
    });
    await store.pool.query("insert into es.checkpoints (processor, position) values ('p', 0)");
    expect(await store.append(request())).toMatchObject({ kind: 'appended', position: 1 });
    expect([runs, await seen()]).toEqual([2, [1]]);
  });

  test('whose checkpoint never fits ends as unavailable, not as an endless loop', async () => {
    const { store } = await openWith(async ({ tx }) => {
      void tx.query({ text: "select es.advance_checkpoint('nobody', 0, 1)" });
    });
    await expect(store.append(request())).rejects.toMatchObject({
      name: 'StoreUnavailable',
      outcome: 'not-written',
    });
  });

  test('leaves nothing of appends that are refused, and does not run for those that bring no events', async () => {
    let runs = 0;
    const { store, seen } = await openWith(async ({ tx, events }) => {
      runs++;
      void tx.query(insertSeen(events));
    });
    const streamId = stream();
    await store.append(request({ streamId }));
    expect(await store.append(request({ streamId, expectedVersion: 0 }))).toMatchObject({ kind: 'conflict' });
    expect(await seen()).toEqual([1]);
    const before = runs;
    await store.append(request({ streamId, expectedVersion: 1, events: [] }));
    expect(runs).toBe(before);
  });

  test('sees a batch in which some were refused without them', async () => {
    const batches: number[] = [];
    const { store, seen } = await openWith(async ({ tx, events }) => {
      batches.push(events.length);
      void tx.query(insertSeen(events));
    });
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, index) => store.append(request({ expectedVersion: index % 3 }))),
    );
    expect(results.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 30 }, (_, i) => (i % 3 === 0 ? 'appended' : 'conflict')),
    );
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(10);
    expect(await seen()).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
  });

  test('hears that others appended without its views, which are where they were left until then', async () => {
    const url = await newDatabase();
    const heard: string[] = [];
    const open = (...views: string[]) =>
      openStore(url, {
        inlineProjector: {
          views,
          async project({ previousHead, isBehind }) {
            heard.push(`${views.join()} after ${previousHead}${isBehind ? ' is behind' : ''}`);
          },
        },
      });
    const [older, newer, plain] = [await open('a', 'b'), await open('b', 'c'), await openStore(url)];
    const { pool } = plain;
    await pool.query("insert into es.checkpoints (processor, position) values ('a', 0), ('b', 0), ('c', 0)");
    const positions = async () =>
      (await pool.query("select es.position_of(p) from unnest('{a,b,c}'::text[]) p")).rows.map(
        ({ position_of: position }) => position,
      );
    await older.append(request());
    await older.append(request());
    expect(await positions()).toEqual([2, 2, 0]);
    await newer.append(request());
    expect(await positions()).toEqual([2, 3, 3]);
    await newer.append(request());
    await newer.append(request({ events: [] }));
    await plain.append(request());
    expect(await positions()).toEqual([2, 4, 4]);
    await older.append(request());
    expect(heard).toEqual([
      'a,b after 0 is behind',
      'a,b after 1',
      'b,c after 2 is behind',
      'b,c after 3',
      'a,b after 5 is behind',
    ]);
  });
});
