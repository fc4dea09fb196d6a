import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { type Answer, type Api, apiOf } from './api.ts';

const longestMs = 60_000;

/**
 * A client that asks again when the stack says when to come back (503 with `Retry-After`), as its callers do: processes
 * that were killed start, and a gateway that is behind refuses what it cannot serve in time. Any other answer counts, and
 * so does the one after a minute.
 * What is asked for without an `Idempotency-Key` may be done twice where only the answer was lost.
 */
export function comingBack(api: Api): Api {
  return apiOf(async (...request) => {
    const deadline = performance.now() + longestMs;
    for (;;) {
      const answer = await api.call(...request);
      const afterSeconds = answer.headers['retry-after'];
      if (answer.status !== 503 || afterSeconds === undefined || performance.now() > deadline) return answer;
      await sleep(Number(afterSeconds) * 1_000);
    }
  });
}

/** What has one key, until its answer is definite: limits, outages and a first try that still runs are waited out. */
export const untilDefinite = (ask: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await ask();
    if ([409, 429, 503].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  }, longestMs);
