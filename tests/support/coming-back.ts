import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { type Answer, type Api, apiOf } from './api.ts';

const longestMs = 60_000;

/**
 * A client that asks again when the stack says when to come back (503 with `Retry-After`), as its callers do: processes
 * that were killed start, and a gateway that is behind refuses what it cannot serve in time. So it does where the first
 * try of what it asked again is still at work (409), and where an answer names services that were too slow to be in it.
 * Any other answer counts, and so does the one after a minute.
 * What is asked for without an `Idempotency-Key` may be done twice where only the answer was lost.
 */
export function comingBack(api: Api): Api {
  return apiOf(async (...request) => {
    const deadline = performance.now() + longestMs;
    for (let tries = 1; ; tries += 1) {
      const answer = await api.call(...request);
      const waitSeconds = secondsToWait(answer, tries > 1);
      if (waitSeconds === 0 || performance.now() > deadline) return answer;
      await sleep(waitSeconds * 1_000);
    }
  });
}

/** Seconds to wait before the next try; 0 for an answer that counts. */
function secondsToWait({ status, headers, body }: Answer, isRepetition: boolean): number {
  // Services that are missing in a page of the log or in a trace.
  const { data, missing_services = data?.missing_services } = Object(body);
  if (missing_services?.length > 0) return 1;
  return status === 503 || (isRepetition && status === 409) ? Number(headers['retry-after'] ?? 0) : 0;
}

/**
 * Repeats a request under one `Idempotency-Key` until its answer is definite: waits for limits, outages, a first
 * try that still runs, and killed processes that start again (half a minute each on a busy machine).
 */
export const untilDefinite = (ask: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await ask();
    if ([409, 429, 503].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  }, 3 * longestMs);
