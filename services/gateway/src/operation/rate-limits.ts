import { type OperationDefinition, type Rejection, reject } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../edge/caller/caller.ts';
import { rateLimitHeaders, takeFromRateLimits } from '../edge/caller/take-rate-limit.ts';
import type { Edge } from '../edge/edge.ts';
import { timeLeftOf } from '../edge/request/time-left.ts';

/** The limits of one operation. */
export interface OperationLimits {
  /**
   * Takes one attempt of the account and sets the limits' headers; resolves with the rejection when no attempt is
   * left, with `null` otherwise. Rejects when accounts does not answer.
   */
  take(request: FastifyRequest, caller: Caller, reply: FastifyReply): Promise<Rejection | null>;
  /** `onSend` hook: adds the headers that tell how the limits stand to answers of requests that took no attempt. */
  addMissingHeaders(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** `null` for an operation without limits, which then costs nothing. */
export function createLimitsOf(operation: OperationDefinition, edge: Edge): OperationLimits | null {
  if (!operation.rateLimits) return null;
  /** Requests that asked for the limits already; when that failed, the answer goes out without the headers. */
  const asked = new WeakSet<FastifyRequest>();
  const ask = (request: FastifyRequest, { accountId }: Caller, consume: boolean) =>
    takeFromRateLimits(edge.ask, operation, accountId, consume, timeLeftOf(request));
  return {
    async take(request, caller, reply) {
      asked.add(request);
      const standing = await ask(request, caller, true);
      reply.headers(rateLimitHeaders(standing));
      return standing.allowed
        ? null
        : reject('too_many_attempts', { retryAfterSeconds: standing.retry_after });
    },
    async addMissingHeaders(request, reply) {
      const { caller } = request;
      if (!caller || asked.has(request)) return;
      try {
        reply.headers(rateLimitHeaders(await ask(request, caller, false)));
      } catch (error) {
        edge.logger.debug({ err: error }, 'the limits are unreachable');
      }
    },
  };
}
