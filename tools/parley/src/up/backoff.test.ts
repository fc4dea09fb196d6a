import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

test('the first start again comes at once, later ones later and later, up to 10 s', () => {
  expect([1, 2, 3, 6, 7, 8, 100].map(backoffMs)).toEqual([100, 200, 400, 3_200, 6_400, 10_000, 10_000]);
});
