import { type OperationDefinition, takeRateLimit } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import type { z } from 'zod';
import { doubtMs } from './ask.ts';
import { ownAnswer, ownRequest } from './own-request.ts';

export type RateLimitStanding = z.output<typeof takeRateLimit.output>;

/**
 * Takes one attempt of the account's limits of an operation, or (`consume: false`) tells how they stand. The decision is
 * made in Postgres on the platform's clock, so it is exact over all gateways. Never asked twice: it might count twice.
 * The answer is waited for while the request that it is for has time left.
 */
export async function takeFromRateLimits(
  bus: BusClient,
  operation: OperationDefinition,
  accountId: number,
  consume: boolean,
  leftMs: number,
): Promise<RateLimitStanding> {
  const { rateLimits = [] } = operation;
  const limits = rateLimits.map(({ name, max, windowMs }) => ({ name, max, window_ms: windowMs }));
  const wanted = { account_id: accountId, operation: operation.name, limits, consume };
  const timeoutMs = Math.max(1, Math.floor(Math.min(leftMs, doubtMs)));
  return ownAnswer(takeRateLimit, await bus.request(ownRequest(takeRateLimit, wanted, timeoutMs)));
}

export const rateLimitHeaders = ({ limit, remaining, reset_at }: RateLimitStanding) => ({
  'x-ratelimit-limit': String(limit.max),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset_at),
});
