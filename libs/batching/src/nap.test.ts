import { expect, test } from 'vitest';
import { Nap } from './nap.ts';

const aLongTime = 3_600_000;

test('a nap ends by itself', async () => {
  expect(await new Nap().sleep(1)).toBe(false);
});

test('a nap is cut short by a wake-up, also by one that came before it', async () => {
  const nap = new Nap();
  const sleeping = nap.sleep(aLongTime);
  nap.wake();
  expect(await sleeping).toBe(true);
  nap.wake();
  expect(await nap.sleep(aLongTime)).toBe(true);
  expect(await nap.sleep(1)).toBe(false);
});

test('a nap ends when its work is to stop', async () => {
  const stop = new AbortController();
  const sleeping = new Nap(stop.signal).sleep(aLongTime);
  stop.abort();
  expect(await sleeping).toBe(true);
});
