import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './api.ts';

const mostTries = 5;

/**
 * For what is asked right after processes and servers were killed: asks again when the stack says when to come back (503
 * with `Retry-After`), as its callers do; any other answer counts, and so does the fifth.
 */
export async function comingBack(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask();
    const afterSeconds = answer.headers['retry-after'];
    if (answer.status !== 503 || afterSeconds === undefined || tries === mostTries) return answer;
    await sleep(Number(afterSeconds) * 1_000);
  }
}
