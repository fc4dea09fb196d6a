import type { OperationDefinition } from '@parley/contracts';
import type { Caller } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; `null` until the key was looked up, and outside the operations. */
    caller: Caller | null;
    /** Monotonic milliseconds at the request's head. */
    startedAtMs: number;
    /** Milliseconds spent on looking up the key. */
    lookupMs: number;
  }

  interface FastifyContextConfig {
    /** The operation that the route serves; absent on plain routes. */
    operation?: OperationDefinition;
  }
}
