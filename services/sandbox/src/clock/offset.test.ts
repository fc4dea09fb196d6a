import { expect, test } from 'vitest';
import { targetOffset } from './offset.ts';

test('an advance goes on from what every service has', () => {
  expect(targetOffset({ confirmedSeconds: 60, announcedSeconds: 60 }, 30)).toBe(90);
});

test('a repeated advance that failed half-way aims at the same moment', () => {
  expect(targetOffset({ confirmedSeconds: 60, announcedSeconds: 90 }, 30)).toBe(90);
});

test('a shorter advance after a failed one never takes time back', () => {
  expect(targetOffset({ confirmedSeconds: 60, announcedSeconds: 3660 }, 5)).toBe(3660);
});
