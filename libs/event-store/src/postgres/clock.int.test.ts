import { expect, test } from 'vitest';
import { createClock, getClockOffset, setClockOffset } from '../clock.ts';
import { createIdAllocator } from '../id-allocator.ts';
import { newDatabase, openStore } from './testing.fixture.ts';

test('the clock is the database’s, moved for every process at once', async () => {
  const url = await newDatabase();
  const [one, other] = [await openStore(url), await openStore(url)];
  expect(await getClockOffset(one.pool)).toBe(0);
  const before = await createClock(one.pool).now();
  await setClockOffset(one.pool, 3_600.5);
  const after = await createClock(other.pool).now();
  expect(after.getTime() - before.getTime()).toBeGreaterThanOrEqual(3_600_500);
  expect(after.getTime() - before.getTime()).toBeLessThan(3_660_500);
  expect(await getClockOffset(other.pool)).toBe(3_600.5);
});

test('readings of one tick share one query', async () => {
  const store = await openStore(await newDatabase());
  let queries = 0;
  const clock = createClock({
    query(query) {
      queries++;
      return store.pool.query(query);
    },
  });
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => clock.now()));
  expect(new Set(others.map((time) => time.getTime()))).toEqual(new Set([first?.getTime()]));
  expect(queries).toBe(1);
});

test('ids are positive, never given out twice by any process, and increasing within one', async () => {
  const url = await newDatabase();
  const stores = await Promise.all([openStore(url), openStore(url), openStore(url)]);
  const allocators = stores.map(({ pool }) => createIdAllocator(pool, 'folder_ids'));
  const taken = await Promise.all(
    allocators.map(async (allocator) => {
      const burst = await Promise.all(Array.from({ length: 500 }, () => allocator.next()));
      const single: number[] = [];
      for (let i = 0; i < 200; i++) single.push(await allocator.next());
      return [...burst, ...single];
    }),
  );
  for (const ids of taken) expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(new Set(taken.flat()).size).toBe(2_100);
  expect(Math.min(...taken.flat())).toBe(1);
});

test('an id rarely costs a round trip', async () => {
  const store = await openStore(await newDatabase());
  let queries = 0;
  const allocator = createIdAllocator(
    {
      query(query) {
        queries++;
        return store.pool.query(query);
      },
    },
    'label_ids',
  );
  for (let i = 0; i < 1_000; i++) await allocator.next();
  expect(queries).toBeLessThan(110);
});

test('a failed fetch rejects the ids that waited for it and no later one', async () => {
  const store = await openStore(await newDatabase());
  let isDown = true;
  const allocator = createIdAllocator(
    { query: (query) => (isDown ? Promise.reject(new Error('down')) : store.pool.query(query)) },
    'thing_ids',
  );
  await expect(allocator.next()).rejects.toThrow('down');
  isDown = false;
  expect(await allocator.next()).toBe(1);
});

test('a sequence name that is no plain name is refused', () => {
  expect(() => createIdAllocator({ query: () => Promise.reject() }, 'x; drop table y')).toThrow(TypeError);
});
