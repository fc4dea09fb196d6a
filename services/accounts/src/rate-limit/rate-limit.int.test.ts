import { advanceClock, takeRateLimit } from '@parley/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Copies, startCopies } from '../copies.fixture.ts';

let accounts: Copies;
beforeAll(async () => {
  accounts = await startCopies(2);
});
afterAll(() => accounts.close());

const hour = { name: 'hour', max: 5, window_ms: 3_600_000 };
const take = (account_id: number, limits = [hour], consume = true) =>
  accounts.ask(takeRateLimit, { account_id, operation: 'request-call', limits, consume });

describe('taking from a rate limit', () => {
  test('admits exactly as many as fit, through two copies at once, and says when to come back', async () => {
    const decisions = await Promise.all(Array.from({ length: 40 }, () => take(1)));
    const admitted = decisions.filter(({ allowed }) => allowed);
    expect(admitted).toHaveLength(5);
    expect(admitted.map(({ remaining }) => remaining).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const decision of decisions.filter(({ allowed }) => !allowed)) {
      expect(decision).toMatchObject({ remaining: 0, limit: { name: 'hour', max: 5 } });
      expect(decision.retry_after).toBeGreaterThan(3_000);
      expect(decision.retry_after).toBeLessThanOrEqual(3_600);
    }
  });

  test('follows the platform clock, also when an operator moves it', async () => {
    await Promise.all(Array.from({ length: 5 }, () => take(2)));
    const refused = await take(2);
    expect(refused.allowed).toBe(false);
    await accounts.ask(advanceClock, { offset_seconds: refused.retry_after });
    expect(await take(2)).toMatchObject({ allowed: true });
  });

  test('shows how things stand without using anything up', async () => {
    for (const _ of [1, 2])
      expect(await take(3, [hour], false)).toMatchObject({ allowed: true, remaining: 5 });
  });
});
