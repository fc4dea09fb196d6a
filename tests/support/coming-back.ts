import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, apiOf } from './api.ts';

const longestMs = 30_000;

/**
 * A client that asks again when the stack says when to come back (503 with `Retry-After`), as its callers do: processes
 * that were killed start, and a gateway that is behind refuses what it cannot serve in time. Any other answer counts, and
 * so does the one after half a minute.
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
