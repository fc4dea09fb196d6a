import {
  type BusClient,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  ServiceUnavailable,
  TooManyInFlight,
} from '@parley/message-bus';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAsk } from './ask.ts';

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

const askUntilAnswered = (bus: BusClient, asked: BusRequest, timeoutMs: number) =>
  createAsk(bus, 0)(asked, timeoutMs);

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
    await vi.advanceTimersByTimeAsync(999);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked.map(({ request }) => request)).toMatchObject([
      { context: { commandId: 'c', timeoutMs: 1_000 }, waitMs: 10_000 },
      { context: { commandId: 'c', timeoutMs: 2_000 }, waitMs: 9_000 },
    ]);
    asked[answering]?.answer(ok);
    expect(await answer).toBe(ok);
    asked[1 - answering]?.answer(stillRunning);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(asked).toHaveLength(2);
  });

  test('the more copies are silent, the longer they are waited for', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    for (const [ms, tries] of [
      [999, 1],
      [1, 2],
      [1_999, 2],
      [1, 3],
      [3_999, 3],
      [1, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms);
      expect(asked).toHaveLength(tries);
    }
    asked[3]?.answer(ok);
    expect(await answer).toBe(ok);
  });

  test('however often others say that it still runs, that leaves the other requests theirs', async () => {
    const { bus, asked } = silentBus();
    const ask = createAsk(bus, 0);
    const answers = Array.from({ length: 10 }, () => ask(request, 10_000));
    for (let passed = 0; passed < 5_000; passed += 100) {
      await vi.advanceTimersByTimeAsync(100);
      for (const { answer } of asked.slice(10)) answer(stillRunning);
    }
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(100);
    expect(asked).toHaveLength(before + 10);
    for (const { answer } of asked) answer(ok);
    expect(await Promise.all(answers)).toHaveLength(10);
  });

  test('where a hundred wait, asks for no more than half of them again, and for the others as those are answered', async () => {
    const { bus, asked } = silentBus();
    const ask = createAsk(bus, 0);
    // Once more after answers that came twice.
    for (const before of [0, 175]) {
      const answers = Array.from({ length: 100 }, () => ask(request, 10_000));
      await vi.advanceTimersByTimeAsync(9_000);
      expect(asked).toHaveLength(before + 150);
      for (const { answer } of asked.slice(before + 100)) answer(ok);
      await vi.advanceTimersByTimeAsync(200);
      expect(asked).toHaveLength(before + 175);
      for (const { answer } of asked.slice(before)) answer(ok);
      expect(await Promise.all(answers)).toHaveLength(100);
    }
  });

  test('waits for a slow copy to the deadline while others say that it still runs', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    for (let tries = 1; tries < 10; tries += 1) {
      await vi.advanceTimersByTimeAsync(tries === 1 ? 1_000 : 100);
      expect(asked).toHaveLength(tries + 1);
      asked[tries]?.answer(stillRunning);
    }
    asked[0]?.answer(ok);
    expect(await answer).toBe(ok);
  });

  test('waits for a slow copy while another one is unavailable, which is asked again when it says so', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(1_000);
    asked[1]?.answer({ kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 3 } });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(asked).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(3);
    asked[0]?.answer(ok);
    expect(await answer).toBe(ok);
  });

  test('does not wait for the others when the slow copy tells of an outage that lasts', async () => {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(1_000);
    const away: BusReply = { kind: 'rejected', rejection: { code: 'unavailable', isOutage: true } };
    asked[0]?.answer(away);
    expect(await answer).toBe(away);
    expect(asked).toHaveLength(2);
  });

  describe('when the slow copy fails', () => {
    const failed: BusReply = { kind: 'rejected', rejection: { code: 'purchase_failed' } };
    async function failedBesideAnother() {
      const { bus, asked } = silentBus();
      const answer = askUntilAnswered(bus, request, 10_000);
      await vi.advanceTimersByTimeAsync(1_000);
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
      await vi.advanceTimersByTimeAsync(4_000);
      await ending;
    });
  });

  describe('when the slow copy says that it is unavailable, as its provider did not answer', () => {
    const unavailable: BusReply = { kind: 'rejected', rejection: { code: 'unavailable' } };
    async function unavailableBesideAnother() {
      const { bus, asked } = silentBus();
      const answer = askUntilAnswered(bus, request, 10_000);
      await vi.advanceTimersByTimeAsync(1_000);
      asked[0]?.answer(unavailable);
      await vi.advanceTimersByTimeAsync(1_999);
      return { answer, asked };
    }

    test('takes the answer of the copy that was asked beside it', async () => {
      const { answer, asked } = await unavailableBesideAnother();
      asked[1]?.answer(ok);
      expect(await answer).toBe(ok);
      expect(asked).toHaveLength(2);
    });

    test('passes that on when the other one fails as well, and when nothing is heard of it for 2 s', async () => {
      const heard = await unavailableBesideAnother();
      const failed: BusReply = { kind: 'rejected', rejection: { code: 'purchase_failed' } };
      heard.asked[1]?.answer(failed);
      expect(await heard.answer).toBe(failed);

      const silent = await unavailableBesideAnother();
      await vi.advanceTimersByTimeAsync(1);
      expect(await silent.answer).toBe(unavailable);
      expect(silent.asked).toHaveLength(2);
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

  describe('when the same command was sent by another gateway and still runs', () => {
    /** A bus that answers so for `busyMs`. */
    function busBusyFor(busyMs: number) {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const startedAt = performance.now();
      const ask = vi.fn(async () => (performance.now() - startedAt < busyMs ? stillRunning : ok));
      const bus: BusClient = { request: ask, async close() {} };
      return { bus, ask };
    }

    test('waits for its answer', async () => {
      const { bus } = busBusyFor(1_000);
      const answer = createAsk(bus, 3_000)(request, 10_000);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await answer).toBe(ok);
    });

    test.each([
      ['where it takes longer than the patience', 3_000, 10_000],
      ['where the request may take no longer', 10_000, 3_000],
    ])('passes that on %s', async (_, patienceMs, timeoutMs) => {
      const { bus, ask } = busBusyFor(60_000);
      const answer = createAsk(bus, patienceMs)(request, timeoutMs);
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await answer).toBe(stillRunning);
      expect(ask.mock.calls.length).toBeLessThanOrEqual(31);
    });

    test('passes that on at once without patience', async () => {
      const { bus } = busThat(stillRunning, ok);
      expect(await askUntilAnswered(bus, request, 10_000)).toBe(stillRunning);
    });
  });

  describe('during an outage', () => {
    const away: BusReply = { kind: 'rejected', rejection: { code: 'unavailable', isOutage: true } };
    /** A bus that answers with `outcome` until it is `over`. */
    function busDuring(outcome: BusReply | Error) {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const outage = { isOver: false, asked: [] as BusRequest[] };
      const bus: BusClient = {
        async request(request) {
          outage.asked.push(request);
          if (outage.isOver) return ok;
          if (outcome instanceof Error) throw outcome;
          return outcome;
        },
        async close() {},
      };
      return { outage, ask: createAsk(bus, 3_000) };
    }
    /** What is known of a request after so many milliseconds. */
    async function after<T>(ms: number, answer: Promise<T>) {
      const known = Promise.allSettled([answer]).then(([settled]) => settled);
      await vi.advanceTimersByTimeAsync(ms);
      return Promise.race([known, Promise.resolve('nothing yet')]);
    }

    test.each([
      ['no copy is there', new ServiceUnavailable()],
      ['what the service needs is away', away],
    ])('waits for its end, with the same command id, while %s', async (_, outcome) => {
      const { outage, ask } = busDuring(outcome);
      const answer = ask(request, 10_000);
      expect(await after(2_000, answer)).toBe('nothing yet');
      outage.isOver = true;
      expect(await after(400, answer)).toMatchObject({ value: ok });
      expect(new Set(outage.asked.map(({ context }) => context.commandId))).toEqual(new Set(['c']));
      expect(outage.asked.length).toBeLessThan(10);
    });

    test.each([
      ['that nobody is there', new ServiceUnavailable(), { reason: expect.any(ServiceUnavailable) }],
      ['the refusal', away, { value: away }],
    ])('passes %s on when it lasts', async (_, outcome, expected) => {
      const { ask } = busDuring(outcome);
      expect(await after(3_500, ask(request, 10_000))).toMatchObject(expected);
    });

    test('that has lasted, who comes later is told at once; one that comes after its end waits again', async () => {
      const { outage, ask } = busDuring(away);
      await after(3_500, ask(request, 10_000));
      expect(await after(0, ask(request, 10_000))).toMatchObject({ value: away });
      outage.isOver = true;
      expect(await after(0, ask(request, 10_000))).toMatchObject({ value: ok });
      outage.isOver = false;
      expect(await after(2_000, ask(request, 10_000))).toBe('nothing yet');
    });

    test('nobody waits longer for another one that follows at once', async () => {
      const { outage, ask } = busDuring(away);
      const answer = ask(request, 10_000);
      await vi.advanceTimersByTimeAsync(2_000);
      outage.isOver = true;
      await ask(request, 10_000);
      outage.isOver = false;
      expect(await after(2_000, answer)).toMatchObject({ value: away });
    });

    test('what a copy may have begun before it met it is waited for to the deadline', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      let reply: BusReply = away;
      const bus: BusClient = { request: async () => reply, async close() {} };
      const answer = createAsk(bus, 3_000)(request, 10_000);
      await vi.advanceTimersByTimeAsync(0);
      reply = stillRunning;
      expect(await after(5_000, answer)).toBe('nothing yet');
      reply = ok;
      expect(await after(100, answer)).toMatchObject({ value: ok });
    });

    test('of one kind of request says nothing of others', async () => {
      const { ask } = busDuring(away);
      await after(3_500, ask(request, 10_000));
      const other = { ...request, subject: 'cmd.assistants.create-label' };
      expect(await after(2_000, ask(other, 10_000))).toBe('nothing yet');
    });

    test.each([
      ['too much is asked', new TooManyInFlight(), { reason: expect.any(TooManyInFlight) }],
      [
        'the service has too much to do',
        { kind: 'rejected', rejection: { code: 'unavailable' } } as const,
        {},
      ],
    ])('tells at once that %s', async (_, outcome, expected) => {
      const { outage, ask } = busDuring(outcome);
      expect(await after(0, ask(request, 10_000))).toMatchObject(expected);
      expect(outage.asked).toHaveLength(1);
    });
  });
});
