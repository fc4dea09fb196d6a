import { expect, test } from 'vitest';
import { placeMs, stepBackoffMs, turnMs } from './backoff.ts';

test('attempts follow each other after 2 s, doubling up to 15 min, give or take a fifth', () => {
  expect([1, 2, 3, 9, 10, 11, 100].map((attempt) => stepBackoffMs(attempt, 0.5))).toEqual([
    2_000, 4_000, 8_000, 512_000, 900_000, 900_000, 900_000,
  ]);
  expect([0, 0.5, 1].map((chance) => stepBackoffMs(1, chance))).toEqual([1_600, 2_000, 2_400]);
});

test('never sooner than the other side asked for, nor later than a day', () => {
  expect(stepBackoffMs(1, 0, 60)).toBe(60_000);
  expect(stepBackoffMs(1, 0, 999_999)).toBe(86_400_000);
});

test('at a limit the next attempt comes when the limit says, later the more often it was for nothing', () => {
  expect([1, 2, 3, 4, 5, 8, 100].map((attempt) => turnMs(attempt, 0, 1))).toEqual([
    1_000, 1_000, 1_000, 2_000, 4_000, 30_000, 30_000,
  ]);
  expect([200, 1_000].map((attempt) => turnMs(attempt, 0, 1))).toEqual([60_000, 300_000]);
  expect(turnMs(1, 1, 1)).toBe(1_200);
  expect(turnMs(1, 0, 3_600)).toBe(3_600_000);
});

test('what finds no place looks again after half a second, doubling up to 15 s, and a fifth more by chance', () => {
  expect([0, 1, 4, 5, 100].map((looks) => placeMs(looks, 0))).toEqual([500, 1_000, 8_000, 15_000, 15_000]);
  expect(placeMs(0, 1)).toBe(600);
});
