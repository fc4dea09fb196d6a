import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepPace } from './pace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** Of a message that brings so many bytes in each window of a second: after how many windows it is cut off, each time. */
async function cutsOf(...windows: readonly number[]): Promise<readonly number[]> {
  // A request is a stream like others, as far as this goes.
  const message = new PassThrough().resume();
  const cuts: number[] = [];
  let [passed, elapsed] = [0, 0];
  const pace = { bytesPerSecond: 100, windowMs: 1_000 };
  const isOver = vi.fn();
  const cut = () => void cuts.push(elapsed);
  keepPace(message as object as IncomingMessage, () => passed, pace, { cut, onEnd: isOver });
  for (const bytes of windows) {
    elapsed += 1;
    passed += bytes;
    vi.advanceTimersByTime(1_000);
  }
  expect(isOver).not.toHaveBeenCalled();
  message.end();
  await finished(message);
  expect(isOver).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
  return cuts;
}

test('whoever keeps the pace in every window is never cut off', async () => {
  expect(await cutsOf(100, 100, 100, 100, 5_000, 100)).toEqual([]);
});

test('whoever falls behind in one window is cut off at its end, once, whatever came before', async () => {
  expect(await cutsOf(99)).toEqual([1]);
  expect(await cutsOf(1_000_000, 99, 0, 0)).toEqual([2]);
  expect(await cutsOf(100, 100, 0)).toEqual([3]);
});
