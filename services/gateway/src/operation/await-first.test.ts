import type { BusReply } from '@parley/message-bus';
import { expect, onTestFinished, test, vi } from 'vitest';
import { awaitFirst } from './await-first.ts';

const underWay: BusReply = { kind: 'rejected', rejection: { code: 'idempotency_in_progress' } };
const done: BusReply = { kind: 'ok', body: '{}', replayed: true };

/** A service that says `underWay` for so long. */
function serviceBusyFor(busyMs: number) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startedAt = performance.now();
  return vi.fn(async () => (performance.now() - startedAt < busyMs ? underWay : done));
}

test('who repeats a command that is under way gets its answer as soon as it is there', async () => {
  const give = serviceBusyFor(1_000);
  const answered = awaitFirst(give, 3_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answered).toBe(done);
});

test('who repeats one that takes longer is told so when their patience ends', async () => {
  const give = serviceBusyFor(60_000);
  const answered = awaitFirst(give, 3_000);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await answered).toBe(underWay);
  expect(give.mock.calls.length).toBeLessThanOrEqual(16);
});

test('any other answer is passed on at once', async () => {
  const refused: BusReply = { kind: 'rejected', rejection: { code: 'idempotency_key_reuse' } };
  const give = vi.fn(async () => refused);
  expect(await awaitFirst(give, 3_000)).toBe(refused);
  expect(give).toHaveBeenCalledOnce();
});
