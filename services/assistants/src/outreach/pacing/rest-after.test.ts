import { expect, test } from 'vitest';
import { restAfter } from './rest-after.ts';

test('a campaign rests for 5 s, twice as long with every ten withdrawals, and for five minutes at most', () => {
  const seconds = [0, 9, 10, 19, 20, 50, 59, 60, 10_000].map((inARow) => restAfter(inARow) / 1_000);
  expect(seconds).toEqual([5, 5, 10, 10, 20, 160, 160, 300, 300]);
});
