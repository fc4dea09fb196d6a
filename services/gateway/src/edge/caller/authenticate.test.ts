import { type BusClient, RequestTimedOut } from '@parley/message-bus';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAsk } from '../asking/ask.ts';
import { createAuthenticate } from './authenticate.ts';

const silentBus: BusClient = { request: () => new Promise(() => undefined), async close() {} };

test('nobody waits longer for a look-up than a request may take, however many come first', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const authenticate = createAuthenticate(silentBus, createAsk(silentBus, 0), {
    timeoutMs: 10_000,
    maxUnknown: 1_000,
  });
  const failed: unknown[] = [];
  for (let n = 0; n < 1_000; n += 1)
    Promise.resolve(authenticate(`Bearer key-${n}`).caller).catch((error: unknown) => failed.push(error));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(failed).toHaveLength(1_000);
  for (const error of failed) expect(error).toBeInstanceOf(RequestTimedOut);
});
