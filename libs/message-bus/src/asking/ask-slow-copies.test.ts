import { describe, expect, test, vi } from 'vitest';
import { type BusReply, RequestTimedOut } from '../wire/message.ts';
import { createAsk, inBackground } from './ask.ts';
import {
  askUntilAnswered,
  away,
  ok,
  request,
  silentBus,
  stillRunning,
  unavailable,
} from './asking.fixture.ts';

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
  const ask = createAsk(bus, { patienceMs: 0 });
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
  const ask = createAsk(bus, { patienceMs: 0 });
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

test('for work in the background, others that say that it still runs are asked twice a second', async () => {
  const { bus, asked } = silentBus();
  const answer = createAsk(bus, inBackground)(request, 20_000);
  await vi.advanceTimersByTimeAsync(1_000);
  for (let tries = 2; tries < 20; tries += 1) {
    asked[tries - 1]?.answer(stillRunning);
    await vi.advanceTimersByTimeAsync(499);
    expect(asked).toHaveLength(tries);
    await vi.advanceTimersByTimeAsync(1);
    expect(asked).toHaveLength(tries + 1);
  }
  asked[19]?.answer(ok);
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
    ['is unavailable', unavailable],
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

describe('when a copy says that a message was not sent, while another one is silent', () => {
  const notSent: BusReply = {
    kind: 'rejected',
    rejection: { code: 'send_failed', details: { outcome: 'not_sent' } },
  };
  async function notSentBy(copy: number) {
    const { bus, asked } = silentBus();
    const answer = askUntilAnswered(bus, request, 10_000);
    await vi.advanceTimersByTimeAsync(1_000);
    asked[copy]?.answer(notSent);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(2);
    return { answer, other: asked[1 - copy] };
  }

  test.each([0, 1])('the other one’s word counts, whichever was asked first (%i)', async (copy) => {
    const sent = await notSentBy(copy);
    sent.other?.answer(ok);
    expect(await sent.answer).toBe(ok);
    const refused = await notSentBy(copy);
    refused.other?.answer(notSent);
    expect(await refused.answer).toBe(notSent);
  });

  test('the outcome is unknown when nothing is heard of that one', async () => {
    const { answer } = await notSentBy(0);
    const ending = expect(answer).rejects.toThrow(RequestTimedOut);
    await vi.advanceTimersByTimeAsync(4_000);
    await ending;
  });
});
