import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RateLimit, takeRateLimit } from './sliding-log.ts';

const second = 1_000_000;
const fivePerSecond: RateLimit = { name: 'second', max: 5, windowMs: 1000 };

/** What "at most max in any window" says, word for word; an attempt that has left every window is over for good. */
class ReferenceLimiter {
  private accepted: { at: number }[] = [];

  attempt(now: number, limits: readonly RateLimit[], consume: boolean): boolean {
    const isWithin = (at: number, { windowMs }: RateLimit) => now - at < windowMs * 1000;
    this.accepted = this.accepted.filter(({ at }) => limits.some((limit) => isWithin(at, limit)));
    for (const attempt of this.accepted) if (attempt.at > now) attempt.at = now;
    const isAllowed = limits.every(
      (limit) => this.accepted.filter(({ at }) => isWithin(at, limit)).length + 1 <= limit.max,
    );
    if (isAllowed && consume) this.accepted.push({ at: now });
    return isAllowed;
  }
}

const limits = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    max: fc.integer({ min: 1, max: 6 }),
    windowMs: fc.integer({ min: 1, max: 50 }),
  }),
  { minLength: 1, maxLength: 3 },
);
/** Clocks that stand still, crawl, reach the edge of a window to the microsecond, leap, and go back. */
const step = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 3000 }),
  fc.integer({ min: 1, max: 50 }).map((ms) => ms * 1000),
  fc.integer({ min: 1, max: 50 }).map((ms) => ms * 1000 - 1),
  fc.integer({ min: -60_000, max: 200_000 }),
);
const attempts = fc.array(fc.record({ step, consume: fc.boolean() }), { minLength: 1, maxLength: 60 });

describe('a sliding log', () => {
  test('decides every attempt as the definition does, whatever the clock does', () => {
    fc.assert(
      fc.property(limits, attempts, (limits, attempts) => {
        const reference = new ReferenceLimiter();
        let log: readonly number[] = [];
        let now = 1_700_000_000 * second;
        for (const { step, consume } of attempts) {
          now += step;
          const decision = takeRateLimit(log, now, limits, consume);
          expect(decision.isAllowed).toBe(reference.attempt(now, limits, consume));
          log = decision.log;
        }
      }),
      { numRuns: 10_000 },
    );
  });

  test('admits again at the second it announces, and not in the one before', () => {
    fc.assert(
      fc.property(limits, attempts, (limits, attempts) => {
        let log: readonly number[] = [];
        let now = 1_700_000_000 * second;
        for (const { step } of attempts) {
          now += Math.abs(step);
          const decision = takeRateLimit(log, now, limits);
          log = decision.log;
          if (decision.isAllowed) continue;
          const later = now + decision.retryAfterSeconds * second;
          expect(takeRateLimit(log, later, limits).isAllowed).toBe(true);
          expect(takeRateLimit(log, later - second, limits).isAllowed).toBe(false);
        }
      }),
    );
  });

  test('keeps no more than the longest window may hold', () => {
    const limits = [fivePerSecond, { name: 'minute', max: 20, windowMs: 60_000 }];
    let log: readonly number[] = [];
    for (let attempt = 0; attempt < 1000; attempt += 1)
      log = takeRateLimit(log, attempt * 100_000, limits).log;
    expect(log.length).toBeLessThanOrEqual(20);
  });

  test('consumes nothing when it refuses', () => {
    const full = Array.from({ length: 5 }, (_, index) => index);
    const refused = takeRateLimit(full, 10, [fivePerSecond]);
    expect(refused.isAllowed).toBe(false);
    expect(refused.log).toEqual(full);
  });

  test('consumes nothing when it is only asked how things stand', () => {
    const decision = takeRateLimit([], second, [fivePerSecond], false);
    expect(decision).toMatchObject({ isAllowed: true, log: [], remaining: 5, retryAfterSeconds: 0 });
  });

  test('tells of the limit with the least left, or of the one that refuses longest', () => {
    const limits = [
      { name: 'minute', max: 3, windowMs: 60_000 },
      { name: 'hour', max: 4, windowMs: 3_600_000 },
    ];
    let decision = takeRateLimit([], 0, limits);
    expect(decision).toMatchObject({ limit: limits[0], remaining: 2, resetAtSeconds: 60 });
    for (const at of [1, 2, 61, 61]) decision = takeRateLimit(decision.log, at * second, limits);
    expect(decision).toMatchObject({
      isAllowed: false,
      limit: limits[1],
      remaining: 0,
      retryAfterSeconds: 3539,
      resetAtSeconds: 3600,
    });
  });

  test('forgets an attempt at the very microsecond its longest window ends', () => {
    expect(takeRateLimit([0, 1], second, [fivePerSecond], false).log).toEqual([1]);
  });

  test('that is empty frees nothing, so that more is to be had at once', () => {
    expect(takeRateLimit([], 7 * second, [fivePerSecond], false).resetAtSeconds).toBe(7);
  });

  test('with more in it than a lowered limit allows waits until enough have left', () => {
    const log = [0, 10 * second, 20 * second];
    const lowered: RateLimit = { name: 'minute', max: 1, windowMs: 60_000 };
    expect(takeRateLimit(log, 30 * second, [lowered])).toMatchObject({
      isAllowed: false,
      retryAfterSeconds: 50,
    });
  });

  test('tells of the limit with the least left wherever it stands, and of two alike of the one that frees later', () => {
    const minute: RateLimit = { name: 'minute', max: 3, windowMs: 60_000 };
    const hour: RateLimit = { name: 'hour', max: 3, windowMs: 3_600_000 };
    const day: RateLimit = { name: 'day', max: 9, windowMs: 86_400_000 };
    for (const limits of [
      [day, minute],
      [minute, day],
    ])
      expect(takeRateLimit([], 0, limits).limit).toBe(minute);
    for (const limits of [
      [hour, minute],
      [minute, hour],
    ])
      expect(takeRateLimit([], 0, limits).limit).toBe(hour);
    const other: RateLimit = { ...hour, name: 'other' };
    expect(takeRateLimit([], 0, [hour, other]).limit).toBe(hour);
  });
});
