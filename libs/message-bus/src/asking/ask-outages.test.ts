import { expect, test, vi } from 'vitest';
import {
  type BusClient,
  type BusReply,
  type BusRequest,
  ServiceUnavailable,
  TooManyInFlight,
} from '../wire/message.ts';
import { createAsk } from './ask.ts';
import { away, ok, request, stillRunning, stopTime, unavailable } from './asking.fixture.ts';

/** A bus that answers with `outcome` until it is `over`. */
function busDuring(outcome: BusReply | Error) {
  stopTime();
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
  return { outage, ask: createAsk(bus, { patienceMs: 3_000 }) };
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
])('waits for the end of an outage, with the same command id, while %s', async (_, outcome) => {
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
])('passes %s on when an outage lasts', async (_, outcome, expected) => {
  const { ask } = busDuring(outcome);
  expect(await after(3_500, ask(request, 10_000))).toMatchObject(expected);
});

test('of an outage that has lasted, who comes later is told at once; one that comes after its end waits again', async () => {
  const { outage, ask } = busDuring(away);
  await after(3_500, ask(request, 10_000));
  expect(await after(0, ask(request, 10_000))).toMatchObject({ value: away });
  outage.isOver = true;
  expect(await after(0, ask(request, 10_000))).toMatchObject({ value: ok });
  outage.isOver = false;
  expect(await after(2_000, ask(request, 10_000))).toBe('nothing yet');
});

test('nobody waits longer for another outage that follows at once', async () => {
  const { outage, ask } = busDuring(away);
  const answer = ask(request, 10_000);
  await vi.advanceTimersByTimeAsync(2_000);
  outage.isOver = true;
  await ask(request, 10_000);
  outage.isOver = false;
  expect(await after(2_000, answer)).toMatchObject({ value: away });
});

test('what a copy may have begun before it met the outage is waited for to the deadline', async () => {
  stopTime();
  let reply: BusReply = away;
  const bus: BusClient = { request: async () => reply, async close() {} };
  const answer = createAsk(bus, { patienceMs: 3_000 })(request, 10_000);
  await vi.advanceTimersByTimeAsync(0);
  reply = stillRunning;
  expect(await after(5_000, answer)).toBe('nothing yet');
  reply = ok;
  expect(await after(100, answer)).toMatchObject({ value: ok });
});

test('an outage of one kind of request says nothing of others', async () => {
  const { ask } = busDuring(away);
  await after(3_500, ask(request, 10_000));
  const other = { ...request, subject: 'cmd.assistants.create-label' };
  expect(await after(2_000, ask(other, 10_000))).toBe('nothing yet');
});

test.each([
  ['too much is asked', new TooManyInFlight(), { reason: expect.any(TooManyInFlight) }],
  ['the service has too much to do', unavailable, {}],
])('tells at once that %s', async (_, outcome, expected) => {
  const { outage, ask } = busDuring(outcome);
  expect(await after(0, ask(request, 10_000))).toMatchObject(expected);
  expect(outage.asked).toHaveLength(1);
});
