import { type OperationDefinition, takeRateLimit } from '@parley/contracts';
import type { Ask } from '@parley/message-bus';
import type { z } from 'zod';
import { ownAnswer, ownRequest } from '../request/own-request.ts';

export type RateLimitStanding = z.output<typeof takeRateLimit.output>;

/**
 * Takes one attempt of the account's limits of an operation, or (`consume: false`) tells how they stand. The decision is
 * made in Postgres on the platform's clock, so it is exact over all gateways. Where a copy of accounts dies with it, the
 * attempt may count twice, as it would if the client had to make it again.
 */
export async function takeFromRateLimits(
  ask: Ask,
  operation: OperationDefinition,
  accountId: number,
  consume: boolean,
  timeoutMs: number,
): Promise<RateLimitStanding> {
  const { rateLimits = [] } = operation;
  const limits = rateLimits.map(({ name, max, windowMs }) => ({ name, max, window_ms: windowMs }));
  const wanted = { account_id: accountId, operation: operation.name, limits, consume };
  return ownAnswer(takeRateLimit, await ask(ownRequest(takeRateLimit, wanted, timeoutMs), timeoutMs));
}

export const rateLimitHeaders = ({ limit, remaining, reset_at }: RateLimitStanding) => ({
  'x-ratelimit-limit': String(limit.max),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset_at),
});
