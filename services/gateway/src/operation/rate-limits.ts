import { type OperationDefinition, type Rejection, reject } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Edge } from '../edge/edge.ts';
import { rateLimitHeaders, takeFromRateLimits } from '../edge/take-rate-limit.ts';

/** The limits of one operation. */
export interface OperationLimits {
  /** Takes one attempt of the account; the rejection when there is none left. Throws when the limits are unreachable. */
  take(accountId: number, reply: FastifyReply): Promise<Rejection | null>;
  /** `onSend`: a limited operation always tells how its limits stand, also when the request used nothing up. */
  addMissingHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** `null` for an operation without limits, which then costs nothing. */
export function createLimitsOf(operation: OperationDefinition, edge: Edge): OperationLimits | null {
  if (!operation.rateLimits) return null;
  return {
    async take(accountId, reply) {
      const standing = await takeFromRateLimits(edge.bus, operation, accountId, true);
      reply.headers(rateLimitHeaders(standing));
      return standing.allowed
        ? null
        : reject('too_many_attempts', { retryAfterSeconds: standing.retry_after });
    },
    async addMissingHeaders({ caller }, reply) {
      if (!caller || reply.hasHeader('x-ratelimit-limit')) return;
      try {
        reply.headers(
          rateLimitHeaders(await takeFromRateLimits(edge.bus, operation, caller.accountId, false)),
        );
      } catch (error) {
        edge.logger.debug({ err: error }, 'the limits are unreachable');
      }
    },
  };
}
