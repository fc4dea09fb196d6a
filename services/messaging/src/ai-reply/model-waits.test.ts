import { expect, test } from 'vitest';
import { waitOf } from './model-waits.ts';

test.each([
  [429, '0', 0],
  [429, '5', 5_000],
  [429, '6', undefined],
  [429, '60', undefined],
  [429, '-1', undefined],
  [429, 'Sat, 28 Nov 2026 10:00:00 GMT', undefined],
  [429, 'undefined', undefined],
  [500, '1', undefined],
])('after %d with Retry-After %s a model is waited for %s ms', (status, retryAfter, ms) => {
  expect(waitOf({ status, retryAfter })).toBe(ms);
});
