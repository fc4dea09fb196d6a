import { createPostgresEventStore, type PostgresEventStore, setClockOffset } from '@parley/event-store';
import { type RateLimit, takeRateLimit } from '@parley/rate-limit';
import { createTestDatabase, untilLockIsAwaited } from '@parley/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSlidingLogs } from './sliding-logs.ts';
import { prepareSlidingLogs } from './sliding-logs-schema.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let copies: PostgresEventStore[];
let lastAccount = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const connectionString = database.url;
  copies = await Promise.all([0, 1].map(() => createPostgresEventStore({ connectionString })));
  await Promise.all(copies.map(({ pool }) => prepareSlidingLogs(pool)));
});

afterAll(async () => {
  await Promise.all(copies.map((copy) => copy.close()));
  await database.drop();
});

const copyOf = (index: number): PostgresEventStore => {
  const copy = copies[index % copies.length];
  if (!copy) throw new Error('There are two copies.');
  return copy;
};
const freshAccount = () => (lastAccount += 1);
const hour = 3_600_000;

interface Taken {
  readonly is_allowed: boolean;
  readonly now_micros: number;
  readonly attempts: number[];
}

async function takeInSql(copy: PostgresEventStore, accountId: number, limits: RateLimit[], consume: boolean) {
  const { rows } = await copy.pool.query<Taken>({
    text: 'select is_allowed, now_micros, attempts::float8[] as attempts from limits.take($1::jsonb)',
    values: [
      JSON.stringify([
        {
          account_id: accountId,
          operation: 'send',
          maxima: limits.map(({ max }) => max),
          windows_micros: limits.map(({ windowMs }) => windowMs * 1000),
          consume,
        },
      ]),
    ],
  });
  const [row] = rows;
  if (!row) throw new Error('One attempt gets one decision.');
  return row;
}

const someLimits = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    max: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.integer({ min: 1, max: 20_000 }),
  }),
  { minLength: 1, maxLength: 3 },
);
const someAttempts = fc.array(
  fc.record({ moveSeconds: fc.integer({ min: -10, max: 15 }), consume: fc.boolean() }),
  { minLength: 1, maxLength: 20 },
);

describe('the sliding logs in Postgres', () => {
  test('decide and remember as the pure limiter does, over two copies and a clock that moves both ways', async () => {
    let offsetSeconds = 0;
    await fc.assert(
      fc.asyncProperty(someLimits, someAttempts, async (limits, attempts) => {
        const accountId = freshAccount();
        let log: readonly number[] = [];
        for (const [index, { moveSeconds, consume }] of attempts.entries()) {
          offsetSeconds = Math.max(0, offsetSeconds + moveSeconds);
          if (moveSeconds !== 0) await setClockOffset(copyOf(0).pool, offsetSeconds);
          const row = await takeInSql(copyOf(index), accountId, limits, consume);
          const expected = takeRateLimit(log, row.now_micros, limits, consume);
          expect(row.is_allowed).toBe(expected.isAllowed);
          expect(row.attempts).toEqual(expected.log);
          log = expected.log;
        }
      }),
      { numRuns: 80 },
    );
  });

  test('admit exactly what fits, however many ask at once through two copies, and again after the window', async () => {
    const accountId = freshAccount();
    const limits = [{ name: 'hour', max: 5, windowMs: hour }];
    const takers = copies.map(({ pool }) => createSlidingLogs(pool));
    const storm = async () => {
      const decisions = await Promise.all(
        Array.from({ length: 100 }, () =>
          takers.map((take) => take({ accountId, operation: 'send', limits, consume: true })),
        ).flat(),
      );
      return decisions.filter(({ isAllowed }) => isAllowed).length;
    };
    expect(await storm()).toBe(5);
    expect(await storm()).toBe(0);
    const offset = 1_000_000;
    await setClockOffset(copyOf(0).pool, offset);
    expect(await storm()).toBe(5);
    await setClockOffset(copyOf(0).pool, offset + 3_000);
    expect(await storm()).toBe(0);
    await setClockOffset(copyOf(0).pool, offset + 3602);
    expect(await storm()).toBe(5);
  });

  test('count an attempt from when it had its turn, as it would leave its window too early before that', async () => {
    const accountId = freshAccount();
    const limits = [{ name: 'hour', max: 5, windowMs: hour }];
    await takeInSql(copyOf(0), accountId, limits, true);
    const other = await copyOf(0).pool.connect();
    try {
      await other.query('begin');
      await other.query(`select from limits.logs where account_id = ${accountId} for update`);
      const waiting = takeInSql(copyOf(1), accountId, limits, true);
      await untilLockIsAwaited(other);
      const { rows } = await other.query<{ micros: number }>(
        'select (extract(epoch from es.now() + (clock_timestamp() - now())) * 1000000)::float8 as micros',
      );
      await other.query('commit');
      expect((await waiting).now_micros).toBeGreaterThan(rows[0]?.micros ?? Number.NaN);
    } finally {
      other.release();
    }
  });

  test('decide several windows at once, and a refusal uses up none of them', async () => {
    const accountId = freshAccount();
    const limits = [
      { name: 'minute', max: 5, windowMs: 60_000 },
      { name: 'hour', max: 20, windowMs: hour },
      { name: 'day', max: 50, windowMs: 24 * hour },
    ];
    const take = createSlidingLogs(copyOf(1).pool);
    const start = 2_000_000;
    let admitted = 0;
    const admittedPerHour: number[] = [];
    for (let minute = 0; minute < 3 * 60; minute += 10) {
      await setClockOffset(copyOf(0).pool, start + minute * 60);
      const decisions = await Promise.all(
        Array.from({ length: 8 }, () => take({ accountId, operation: 'call', limits, consume: true })),
      );
      admitted += decisions.filter(({ isAllowed }) => isAllowed).length;
      if (minute % 60 === 50) admittedPerHour.push(admitted);
    }
    expect(admittedPerHour).toEqual([20, 40, 50]);
    const refused = await take({ accountId, operation: 'call', limits, consume: true });
    expect(refused).toMatchObject({ isAllowed: false, remaining: 0, limit: { name: 'day' } });
    const untilTomorrow = 24 * 3600 - 170 * 60;
    // The test takes its time.
    expect(refused.retryAfterSeconds).toBeGreaterThan(untilTomorrow - 180);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(untilTomorrow);
  });

  test('keep accounts and operations apart within one statement', async () => {
    const [first, second] = [freshAccount(), freshAccount()];
    const limits = [{ name: 'hour', max: 1, windowMs: hour }];
    const take = createSlidingLogs(copyOf(0).pool);
    const attempt = (accountId: number, operation: string) => ({
      accountId,
      operation,
      limits,
      consume: true,
    });
    const decisions = await Promise.all([
      take(attempt(first, 'send')),
      take(attempt(second, 'send')),
      take(attempt(first, 'call')),
      take(attempt(first, 'send')),
    ]);
    expect(decisions.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false]);
  });

  test('only tell how things stand when asked to', async () => {
    const accountId = freshAccount();
    const limits = [{ name: 'hour', max: 2, windowMs: hour }];
    const take = createSlidingLogs(copyOf(0).pool);
    const look = () => take({ accountId, operation: 'send', limits, consume: false });
    expect(await look()).toMatchObject({ isAllowed: true, remaining: 2, retryAfterSeconds: 0 });
    await take({ accountId, operation: 'send', limits, consume: true });
    expect(await look()).toMatchObject({ isAllowed: true, remaining: 1 });
  });
});
