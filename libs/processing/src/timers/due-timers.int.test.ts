import type { SqlExecutor, SqlQuery } from '@parley/event-store';
import { createTestDatabase } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import { findTimersAhead, takeDueTimers } from './due-timers.ts';

test('a due timer is found among thousands that failed and wait for their next attempt, by a hash of those', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const store = await startCopy(url);
  onTestFinished(() => store.close());
  const { pool } = store;
  const failed = 20_000;
  await pool.query({
    text: `insert into es.timers (id, kind, due_at, payload, created_at)
           select 'timer-' || n, 'fire', now() - interval '1 minute', '{}', now() from generate_series(1, $1::int) n`,
    values: [failed + 1],
  });
  const except = Array.from({ length: failed }, (_, n) => `timer-${n + 1}`);
  expect(await findTimersAhead(pool, { kinds: ['fire'], except })).toMatchObject({ isDue: true });
  expect(await takeDueTimers(pool, { kinds: ['fire'], except, limit: 250 })).toMatchObject([
    { id: `timer-${failed + 1}` },
  ]);
  // Each compared with each would be 400 million comparisons.
  const plans: string[] = [];
  const explaining: SqlExecutor = {
    async query<Row extends object>({ text, values = [] }: SqlQuery) {
      const result = await pool.query<Row>({ text: `explain ${text}`, values });
      plans.push(JSON.stringify(result.rows));
      return result;
    },
  };
  await findTimersAhead(explaining, { kinds: ['fire'], except });
  await takeDueTimers(explaining, { kinds: ['fire'], except, limit: 250 });
  expect(plans).toEqual(Array(2).fill(expect.stringContaining('hashed SubPlan')));
});
