import { describe, expect, test, vi } from 'vitest';
import { type BusClient, RequestTimedOut, ServiceUnavailable } from '../wire/message.ts';
import { createAsk } from './ask.ts';
import {
  askUntilAnswered,
  busThat,
  ok,
  request,
  stillRunning,
  stopTime,
  unavailable,
} from './asking.fixture.ts';

test('repeats the same command id until there is an answer', async () => {
  const { bus, asked } = busThat(new RequestTimedOut(), new ServiceUnavailable(), stillRunning, ok);
  expect(await askUntilAnswered(bus, request, 10_000)).toBe(ok);
  expect(asked.map(({ context }) => context.commandId)).toEqual(['c', 'c', 'c', 'c']);
});

test('passes on that the copy it asked is unavailable', async () => {
  const { bus } = busThat(unavailable, ok);
  expect(await askUntilAnswered(bus, request, 10_000)).toBe(unavailable);
});

test('has a copy begin with it within what is left', async () => {
  const { bus, asked } = busThat(new RequestTimedOut(), ok);
  await askUntilAnswered(bus, request, 1_000);
  expect(asked[0]?.context.timeoutMs).toBeLessThanOrEqual(1_000);
  expect(asked[1]?.context.timeoutMs).toBeLessThanOrEqual(900);
});

test('ends as timed out at the deadline', async () => {
  const { bus } = busThat(new RequestTimedOut());
  await expect(askUntilAnswered(bus, request, 250)).rejects.toThrow(RequestTimedOut);
});

test('does not ask again when nobody was there', async () => {
  const { bus, asked } = busThat(new ServiceUnavailable(), ok);
  await expect(askUntilAnswered(bus, request, 10_000)).rejects.toThrow(ServiceUnavailable);
  expect(asked).toHaveLength(1);
});

describe('when the same command was sent by another gateway and still runs', () => {
  /** A bus that answers so for `busyMs`. */
  function busBusyFor(busyMs: number) {
    stopTime();
    const startedAt = performance.now();
    const ask = vi.fn(async () => (performance.now() - startedAt < busyMs ? stillRunning : ok));
    const bus: BusClient = { request: ask, async close() {} };
    return { bus, ask };
  }

  test('waits for its answer', async () => {
    const { bus } = busBusyFor(1_000);
    const answer = createAsk(bus, { patienceMs: 3_000 })(request, 10_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe(ok);
  });

  test.each([
    ['where it takes longer than the patience', 3_000, 10_000],
    ['where the request may take no longer', 10_000, 3_000],
  ])('passes that on %s', async (_, patienceMs, timeoutMs) => {
    const { bus, ask } = busBusyFor(60_000);
    const answer = createAsk(bus, { patienceMs })(request, timeoutMs);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await answer).toBe(stillRunning);
    expect(ask.mock.calls.length).toBeLessThanOrEqual(31);
  });

  test('passes that on at once without patience', async () => {
    const { bus } = busThat(stillRunning, ok);
    expect(await askUntilAnswered(bus, request, 10_000)).toBe(stillRunning);
  });
});
