import { setTimeout as sleep } from 'node:timers/promises';

/** Whoever reads metrics waits ten seconds, and most of all wants them while the database says nothing. */
export const metricsPatienceMs = 1_000;

/** What is found out in time; undefined otherwise, and where it cannot be found out. */
export const inTime = <T>(found: Promise<T>, patienceMs: number): Promise<T | undefined> =>
  Promise.race([found.catch(() => undefined), sleep(patienceMs, undefined, { ref: false })]);
