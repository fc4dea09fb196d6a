import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isRinging } from './call.ts';

/** How long a call that was asked for may take until it is dialed. */
const patienceMs = 2_000;
const lookAgainMs = 20;

/** A call is answered as queued before it is dialed: resolves once it rings, or when nobody is about to dial. */
export async function untilDialed(pool: pg.Pool, to: string, from: string): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await isRinging(pool, to, from)) && performance.now() < until) await pause(lookAgainMs);
}
