import { expect, test } from 'vitest';
import { minutesOf, mostMicros } from './price.ts';

test('a call is paid for by the begun minute', () => {
  expect([0, 1, 60, 61, 120].map(minutesOf)).toEqual([0, 1, 1, 2, 2]);
});

test('what is set aside for a call is the price of the longest that it may become', () => {
  expect(mostMicros(90, 70_000)).toBe(140_000);
});
