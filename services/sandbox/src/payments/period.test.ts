import { expect, test } from 'vitest';
import { periodEnd } from './period.ts';

const at = (text: string) => Date.parse(text) / 1000;
const monthly = { interval: 'month', interval_count: 1 } as const;

test('a month ends on the same day of the next month, or on its last day', () => {
  const anchor = at('2026-01-31T10:00:00Z');
  expect(periodEnd(anchor, monthly, 1)).toBe(at('2026-02-28T10:00:00Z'));
  expect(periodEnd(anchor, monthly, 2)).toBe(at('2026-03-31T10:00:00Z'));
  expect(periodEnd(anchor, monthly, 12)).toBe(at('2027-01-31T10:00:00Z'));
});

test('days, weeks and years are counted as such', () => {
  const anchor = at('2028-02-29T00:00:00Z');
  expect(periodEnd(anchor, { interval: 'day', interval_count: 3 }, 2)).toBe(at('2028-03-06T00:00:00Z'));
  expect(periodEnd(anchor, { interval: 'week', interval_count: 1 }, 1)).toBe(at('2028-03-07T00:00:00Z'));
  expect(periodEnd(anchor, { interval: 'year', interval_count: 1 }, 1)).toBe(at('2029-02-28T00:00:00Z'));
});
