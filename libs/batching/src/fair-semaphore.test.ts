import { expect, test } from 'vitest';
import { FairSemaphore } from './fair-semaphore.ts';

test('each key has its own places, given on in the order of arrival', async () => {
  const places = new FairSemaphore({ maxPerKey: 2 });
  const order: string[] = [];
  const first = await places.acquire('a');
  await places.acquire('a');
  await places.acquire('b');
  const third = places.acquire('a').then(() => order.push('third'));
  const fourth = places.acquire('a').then((giveBack) => {
    order.push('fourth');
    giveBack();
  });
  first();
  await third;
  expect(order).toEqual(['third']);
  const fifth = places.acquire('a', AbortSignal.abort(new Error('gone')));
  await expect(fifth).rejects.toThrow('gone');
  (await places.acquire('b'))();
  first();
  await fourth;
  expect(order).toEqual(['third', 'fourth']);
});

test('one who gives up loses the turn to the next', async () => {
  const places = new FairSemaphore({ maxPerKey: 1 });
  const giveBack = await places.acquire('a');
  const leaving = new AbortController();
  const left = places.acquire('a', leaving.signal);
  const next = places.acquire('a');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  giveBack();
  (await next)();
  (await places.acquire('a'))();
});

test('of all keys together no more have a place than there are, and none of them can take all', async () => {
  const places = new FairSemaphore<number>({ max: 3, maxPerKey: 2 });
  const order: string[] = [];
  const come = (key: number, name: string) =>
    places.acquire(key).then((giveBack) => {
      order.push(name);
      return giveBack;
    });
  const first = await come(1, 'first of 1');
  const second = await come(1, 'second of 1');
  const third = come(1, 'third of 1');
  const other = await come(2, 'first of 2');
  const late = come(3, 'first of 3');
  expect(order).toEqual(['first of 1', 'second of 1', 'first of 2']);
  other();
  (await late)();
  expect(order.at(-1)).toBe('first of 3');
  first();
  (await third)();
  second();
  expect(order.at(-1)).toBe('third of 1');
});

test('keys that wait take turns, however many wait of each', async () => {
  const places = new FairSemaphore({ max: 1, maxPerKey: 1 });
  const order: string[] = [];
  const giveBack = await places.acquire('before');
  const all = ['a', 'a', 'a', 'b', 'b', 'c'].map(async (key) => {
    const giveOn = await places.acquire(key);
    order.push(key);
    giveOn();
  });
  giveBack();
  await Promise.all(all);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});
