import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isRinging } from './call.ts';

/** How long to wait for the dialing, in milliseconds. */
const patienceMs = 2_000;
const lookAgainMs = 20;

/**
 * Resolves once a call between these numbers rings, at the latest after 2 s: Parley answers a request for a call
 * before it dials.
 */
export async function untilDialed(pool: pg.Pool, to: string, from: string): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await isRinging(pool, to, from)) && performance.now() < until) await pause(lookAgainMs);
}
