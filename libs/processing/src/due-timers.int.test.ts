import { createTestDatabase } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { findTimersAhead, takeDueTimers } from './due-timers.ts';
import { startCopy } from './fixtures/test-service.fixture.ts';

test('a due timer is found at once, however many that failed wait for their next attempt', async () => {
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
  const startedAt = performance.now();
  expect(await findTimersAhead(pool, { kinds: ['fire'], except })).toMatchObject({ isDue: true });
  expect(await takeDueTimers(pool, { kinds: ['fire'], except, limit: 250 })).toMatchObject([
    { id: `timer-${failed + 1}` },
  ]);
  // Each compared with each would be 400 million comparisons.
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
