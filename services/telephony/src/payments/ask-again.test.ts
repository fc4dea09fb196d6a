import { expect, test } from 'vitest';
import { askAgain } from './ask-again.ts';

const unknown = { kind: 'unknown' } as const;
const timeoutMs = 3_000;

/** Asks somebody who is done after so long, and who answers anybody else after `answerMs` that it still runs. */
async function ask(doneAfterMs: number, answerMs: number) {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  let times = 0;
  const answer = await askAgain(
    async () => {
      times += 1;
      await sleep(times === 1 ? Math.min(doneAfterMs, timeoutMs) : answerMs);
      return now >= doneAfterMs ? { kind: 'ok' } : unknown;
    },
    { now: () => now, sleep },
  );
  return { answer, times, tookMs: now };
}

test('what takes longer than an answer is waited for is asked about while it runs', async () => {
  expect((await ask(4_500, 50)).answer).toEqual({ kind: 'ok' });
});

test('what gives no answer is asked twice, and what does not end for some seconds', async () => {
  expect(await ask(60_000, timeoutMs)).toMatchObject({ answer: unknown, times: 2 });
  const { answer, tookMs } = await ask(60_000, 50);
  expect(answer).toEqual(unknown);
  expect(tookMs).toBeLessThan(6_000);
});
