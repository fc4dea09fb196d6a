import {
  type BusClient,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  ServiceUnavailable,
} from '@parley/message-bus';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { askUntilAnswered } from './ask.ts';

const ok: BusReply = { kind: 'ok', body: '{}' };
const stillRunning: BusReply = { kind: 'rejected', rejection: { code: 'idempotency_in_progress' } };
const request: BusRequest = {
  service: 'assistants',
  subject: 'cmd.assistants.create-folder',
  payload: '{}',
  context: {
    accountId: 1,
    actor: { kind: 'api_key', id: '1' },
    commandId: 'c',
    fingerprint: null,
    correlationId: 'r',
    expectedVersion: null,
    baseUrl: null,
    timeoutMs: 0,
  },
};

/** A bus whose tries end as told, one after the other. */
function busThat(...outcomes: (BusReply | Error)[]) {
  const asked: BusRequest[] = [];
  const bus: BusClient = {
    async request(request) {
      asked.push(request);
      const outcome = outcomes[Math.min(asked.length, outcomes.length) - 1];
      if (outcome === undefined || outcome instanceof Error) throw outcome;
      return outcome;
    },
    async close() {},
  };
  return { bus, asked };
}

/** A bus whose tries are answered when the test wants them to be; time passes as it says. */
function silentBus() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked: { readonly request: BusRequest; readonly answer: (reply: BusReply) => void }[] = [];
  const bus: BusClient = {
    request: (request) => new Promise((answer) => asked.push({ request, answer })),
    async close() {},
  };
  return { bus, asked };
}

describe('asking a service', () => {
  test('repeats the same command id until there is an answer', async () => {
    const { bus, asked } = busThat(new RequestTimedOut(), new ServiceUnavailable(), stillRunning, ok);
    expect(await askUntilAnswered(bus, request, 10_000)).toBe(ok);
    expect(asked.map(({ context }) => context.commandId)).toEqual(['c', 'c', 'c', 'c']);
  });

  test.each([
    ['is dead', 0],
    ['is slow', 1],
  ])('asks another copy beside one that %s, and takes the first answer', async (_, answering) => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.map(({ request }) => request)).toMatchObject([
      { context: { commandId: 'c', timeoutMs: 2_000 }, waitMs: 10_000 },
      { context: { commandId: 'c', timeoutMs: 2_000 }, waitMs: 8_000 },
    ]);
    asked[answering]?.answer(ok);
    expect(await answer).toBe(ok);
    asked[1 - answering]?.answer(stillRunning);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toHaveLength(2);
  });

  test('waits for a slow copy to the deadline while others say that it still runs', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    for (let tries = 1; tries < 10; tries += 1) {
      await vi.advanceTimersByTimeAsync(tries === 1 ? 2_000 : 100);
      expect(asked).toHaveLength(tries + 1);
      asked[tries]?.answer(stillRunning);
    }
    asked[0]?.answer(ok);
    expect(await answer).toBe(ok);
  });

  test('waits for a slow copy while another one is unavailable, which is asked again when it says so', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(2_000);
    asked[1]?.answer({ kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 3 } });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(3);
    asked[0]?.answer(ok);
    expect(await answer).toBe(ok);
  });

  test('does not wait for the others when the slow copy itself is unavailable', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(2_000);
    const unavailable: BusReply = { kind: 'rejected', rejection: { code: 'unavailable' } };
    asked[0]?.answer(unavailable);
    expect(await answer).toBe(unavailable);
    expect(asked).toHaveLength(2);
  });

  describe('when the slow copy fails', () => {
    const failed: BusReply = { kind: 'rejected', rejection: { code: 'purchase_failed' } };
    async function failedBesideAnother() {
      const { bus, asked } = silentBus();
      const answer = askUntilAnswered(bus, request, 10_000);
      await vi.advanceTimersByTimeAsync(2_000);
      asked[0]?.answer(failed);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(asked).toHaveLength(2);
      return { answer, asked };
    }

    test('waits for the copy that was asked beside it, and asks no other', async () => {
      const { answer, asked } = await failedBesideAnother();
      asked[1]?.answer(ok);
      expect(await answer).toBe(ok);
    });

    test.each<[string, BusReply]>([
      ['fails too', failed],
      ['is unavailable', { kind: 'rejected', rejection: { code: 'unavailable' } }],
      ['refuses', { kind: 'rejected', rejection: { code: 'number_not_available' } }],
    ])('passes on that the other copy %s', async (_, reply) => {
      const { answer, asked } = await failedBesideAnother();
      asked[1]?.answer(reply);
      expect(await answer).toBe(reply);
    });

    test('ends as timed out when nothing is heard of the other one either', async () => {
      const { answer } = await failedBesideAnother();
      const ending = expect(answer).rejects.toThrow(RequestTimedOut);
      await vi.advanceTimersByTimeAsync(3_000);
      await ending;
    });
  });

  test('passes on that the copy it asked is unavailable', async () => {
    const unavailable: BusReply = { kind: 'rejected', rejection: { code: 'unavailable' } };
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

  test('passes on that another request with the same key still runs', async () => {
    const { bus } = busThat(stillRunning, ok);
    expect(await askUntilAnswered(bus, request, 10_000)).toBe(stillRunning);
  });
});
