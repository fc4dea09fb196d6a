import type { OperationDefinition } from '@parley/contracts';
import type { EarlyQuery } from '../operation/early-query.ts';
import type { Caller } from './caller/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; `null` until the key was looked up, and outside the operations. */
    caller: Caller | null;
    /** A query that was asked while the key was looked up; `null` when none was. */
    early: EarlyQuery | null;
    /** Monotonic milliseconds at the request's head. */
    startedAtMs: number;
    /** Milliseconds spent on looking up the key. */
    lookupMs: number;
    /** Monotonic milliseconds at which its time is over; the upload of the body is not part of that time. */
    endsAtMs: number;
  }

  interface FastifyContextConfig {
    /** The operation that the route serves; absent on plain routes. */
    operation?: OperationDefinition;
  }
}
