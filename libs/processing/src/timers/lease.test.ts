import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leaseMs, underLease } from './lease.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const after = <T>(ms: number, result: () => T): Promise<T> =>
  new Promise<void>((resolve) => setTimeout(resolve, ms)).then(result);

test('is renewed before it ends, while the work lasts and no longer', async () => {
  const renewedAt: number[] = [];
  const begin = Date.now();
  const renew = async () => renewedAt.push(Date.now() - begin);
  const working = underLease(renew, () => after(leaseMs * 2 - 1, () => 'done'));
  await vi.advanceTimersByTimeAsync(leaseMs * 4);
  expect(await working).toBe('done');
  expect(renewedAt).toEqual([1_000, 2_000, 3_000, 4_000, 5_000]);
});

test('is renewed as often as whoever holds it says', async () => {
  const renew = vi.fn(async () => undefined);
  const working = underLease(renew, () => after(10_500, () => 'done'), 5_000);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await working).toBe('done');
  expect(renew).toHaveBeenCalledTimes(2);
});

test('is not renewed for work that takes less', async () => {
  const renew = vi.fn(async () => undefined);
  const working = underLease(renew, () => after(10, () => 'done'));
  await vi.advanceTimersByTimeAsync(leaseMs * 4);
  expect(await working).toBe('done');
  expect(renew).not.toHaveBeenCalled();
});

test('ends with work that fails', async () => {
  const renew = vi.fn(async () => undefined);
  const working = underLease(renew, () => after(10, () => Promise.reject(new Error('no'))));
  const failing = expect(working).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(leaseMs * 4);
  await failing;
  expect(renew).not.toHaveBeenCalled();
});

test('goes on where a renewal fails, and waits for one that takes its time', async () => {
  let renewals = 0;
  const renew = () => {
    renewals += 1;
    return renewals === 1 ? Promise.reject(new Error('no')) : after(2_500, () => undefined);
  };
  const working = underLease(renew, () => after(6_500, () => 'done'));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await working).toBe('done');
  // At 1 s in vain; from 2 to 4.5 s; from 5 s on.
  expect(renewals).toBe(3);
});
