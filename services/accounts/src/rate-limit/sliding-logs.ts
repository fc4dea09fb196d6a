import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { type RateLimit, takeRateLimit } from '@parley/rate-limit';
import { z } from 'zod';

export interface Attempt {
  readonly accountId: number;
  readonly operation: string;
  /** At least one; the attempt must fit into all. */
  readonly limits: readonly RateLimit[];
  /** False to look at the limits without taking an attempt. */
  readonly consume: boolean;
}

export interface AttemptDecision {
  readonly isAllowed: boolean;
  readonly limit: RateLimit;
  readonly remaining: number;
  readonly retryAfterSeconds: number;
  readonly resetAtSeconds: number;
}

const decided = z.array(
  z.object({ is_allowed: z.boolean(), now_micros: z.number(), attempts: z.array(z.number()) }),
);

/**
 * Exact rolling limits over any number of copies: Postgres decides and remembers under a row lock per account and
 * operation (`limits.take`), one statement for all attempts of a tick. What the caller is told beyond yes or no is
 * computed from the log that the decision left.
 */
export function createSlidingLogs(sql: SqlExecutor): (attempt: Attempt) => Promise<AttemptDecision> {
  return createBatchLoader(async (attempts: readonly Attempt[]) => {
    const { rows } = await sql.query({
      name: 'limits-take',
      text: 'select is_allowed, now_micros, attempts::float8[] as attempts from limits.take($1::jsonb)',
      values: [JSON.stringify(attempts.map(toRequest))],
    });
    return decided.parse(rows).map((row, index) => {
      const attempt = attempts[index];
      if (!attempt) throw new Error('limits.take answered more than it was asked.');
      const after = takeRateLimit(row.attempts, row.now_micros, attempt.limits, false);
      return {
        isAllowed: row.is_allowed,
        limit: after.limit,
        remaining: after.remaining,
        retryAfterSeconds: row.is_allowed ? 0 : after.retryAfterSeconds,
        resetAtSeconds: after.resetAtSeconds,
      };
    });
  });
}

const toRequest = ({ accountId, operation, limits, consume }: Attempt) => ({
  account_id: accountId,
  operation,
  maxima: limits.map(({ max }) => max),
  windows_micros: limits.map(({ windowMs }) => windowMs * 1000),
  consume,
});
