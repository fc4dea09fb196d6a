import { expect, test } from 'vitest';
import { gather } from './gather.ts';

const turn = () => new Promise(setImmediate);

/** Things that come, one number for each turn, and how many had come when they were sent. */
async function sentAfter(arrivals: readonly number[], turnMs = 0): Promise<number> {
  let waiting = 0;
  let sent: number | undefined;
  let now = 0;
  for (const came of [...arrivals, ...Array.from({ length: 10 }, () => 0)]) {
    const isFirst = waiting === 0 && came > 0;
    waiting += came;
    if (isFirst)
      gather(
        () => waiting,
        () => {
          sent = waiting;
        },
        () => now,
      );
    await turn();
    now += turnMs;
    if (sent !== undefined) return sent;
  }
  throw new Error('Nothing was sent.');
}

test('a burst that comes in over several turns is sent at once', async () => {
  expect(await sentAfter([1, 3, 2])).toBe(6);
});

test('what comes after a turn without anything is sent later', async () => {
  expect(await sentAfter([2, 0, 0, 5])).toBe(2);
});

test('enough is sent without waiting for more', async () => {
  expect(await sentAfter([16, 5])).toBe(16);
});

test('nothing waits for long turns of a busy loop', async () => {
  expect(await sentAfter([1, 1, 1], 3)).toBe(2);
});

test('a burst without an end is cut', async () => {
  const sent = await sentAfter(Array.from({ length: 50 }, () => 1));
  expect(sent).toBeLessThan(10);
});
