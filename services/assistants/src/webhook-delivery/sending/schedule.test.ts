import { expect, test } from 'vitest';
import { attemptDelaysMs, nextAttemptInMs, retryAfterMs } from './schedule.ts';

const none = { retryAfterMs: null };
const second = 1000;
const hour = 3600 * second;

test('ten attempts come at 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h after one another', () => {
  const middle = Array.from({ length: 10 }, (_, failures) =>
    nextAttemptInMs(failures, { ...none, random: 0.5 }),
  );
  expect(middle).toEqual(
    [0, 5, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600].map(
      (seconds) => seconds * second,
    ),
  );
  expect(nextAttemptInMs(10, { ...none, random: 0.5 })).toBeNull();
  expect(middle.reduce<number>((sum, delay) => sum + (delay ?? 0), 0) / hour).toBeCloseTo(75.6, 1);
});

test('each delay is spread evenly over a fifth of it either way, and never further', () => {
  for (const [failures, delay] of attemptDelaysMs.entries()) {
    const delayAt = (random: number) => nextAttemptInMs(failures, { ...none, random }) ?? Number.NaN;
    expect(delayAt(0)).toBeCloseTo(delay * 0.8, 0);
    expect(delayAt(1 - Number.EPSILON)).toBeCloseTo(delay * 1.2, 0);
    const mean =
      Array.from({ length: 100 }, (_, n) => delayAt((n + 0.5) / 100)).reduce((a, b) => a + b) / 100;
    expect(Math.abs(mean - delay)).toBeLessThan(1 + delay * 0.001);
  }
});

test.each([
  [0, 1 * second],
  [1 * second, 1 * second],
  [120 * second, 120 * second],
  [24 * hour, 24 * hour],
  [25 * hour, 24 * hour],
  [-5 * second, 1 * second],
  [Number.MAX_SAFE_INTEGER, 24 * hour],
])('a receiver that asks for %d ms gets %d ms, without jitter', (asked, given) => {
  for (const random of [0, 0.5, 0.999])
    expect(nextAttemptInMs(3, { retryAfterMs: asked, random })).toBe(given);
});

test('a receiver cannot ask for more attempts than there are', () => {
  expect(nextAttemptInMs(10, { retryAfterMs: 5 * second, random: 0.5 })).toBeNull();
});

test('Retry-After is read as seconds and as a date of any form that HTTP has', () => {
  const now = new Date('2026-11-21T09:30:00Z');
  expect(retryAfterMs('120', now)).toBe(120 * second);
  expect(retryAfterMs(' 0 ', now)).toBe(0);
  expect(retryAfterMs('Sat, 21 Nov 2026 09:32:00 GMT', now)).toBe(120 * second);
  expect(retryAfterMs('Saturday, 21-Nov-26 09:32:00 GMT', now)).toBe(120 * second);
  expect(retryAfterMs('Sat Nov 21 09:32:00 2026 GMT', now)).toBe(120 * second);
  expect(retryAfterMs('Sat Nov 21 09:32:00 2026', now)).toBe(120 * second);
  expect(retryAfterMs('Sat Nov  7 09:30:00 2026', now)).toBe(-14 * 24 * hour);
  expect(retryAfterMs('Sat, 21 Nov 2026 09:29:00 GMT', now)).toBe(-60 * second);
});

test('what is no Retry-After asks for nothing', () => {
  const now = new Date('2026-11-21T09:30:00Z');
  for (const header of [
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    '2026-11-21',
    'Sat, 99 Foo 2026',
    'until Sat, 21 Nov 2026 09:32:00 GMT',
    '9'.repeat(16),
  ])
    expect(retryAfterMs(header, now)).toBeNull();
});
