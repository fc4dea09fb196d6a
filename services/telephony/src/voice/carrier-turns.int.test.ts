import type { SqlExecutor } from '@parley/event-store';
import { createTestStore } from '@parley/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { CarrierTurns } from './carrier-turns.ts';

let sql: SqlExecutor;
beforeEach(async () => {
  const { close, pool } = await createTestStore([]);
  onTestFinished(close);
  sql = pool;
});

const carrier = {
  CARRIER_SIP_ADDRESS: 'example.pstn.twilio.com',
  LIVEKIT_URL: 'https://livekit.example.com',
};

/** The turns of a copy of the service, where the carrier takes so many new calls a second. */
async function copyFor(CARRIER_CALLS_PER_SECOND: number, environment: object = {}) {
  const turns = new CarrierTurns(sql, { ...carrier, CARRIER_CALLS_PER_SECOND, ...environment });
  await turns.onModuleInit();
  return turns;
}

test('calls of one moment have their turns one after the other, whichever copy places them, as far as they can wait', async () => {
  // One in eight seconds: a slow machine does not matter.
  const [one, other] = await Promise.all([copyFor(0.15), copyFor(0.15)]);
  const waits = await Promise.all([one, other, one, other].map((copy) => copy.take(10_000)));
  const [first, second, ...more] = waits.filter((ms) => ms !== null).sort((a, b) => a - b);
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(0);
  expect(second).toBeLessThanOrEqual(8_000);
  expect(more).toEqual([]);
});

test('a turn that is over keeps nobody waiting, and neither do those of another carrier', async () => {
  const turns = await copyFor(0.1);
  expect(await turns.take(10_000)).toBe(0);
  expect(await turns.take(10_000)).toBeNull();
  expect(await (await copyFor(0.1, { CARRIER_SIP_ADDRESS: 'other.pstn.twilio.com' })).take(10_000)).toBe(0);
  await sql.query({ text: `update carrier.turns set last_at = last_at - interval '1 minute'` });
  expect(await turns.take(10_000)).toBe(0);
});

test('at the sandbox every call has its turn at once', async () => {
  const turns = await copyFor(0.1, { LIVEKIT_URL: undefined });
  for (const _ of [1, 2, 3]) expect(await turns.take(10_000)).toBe(0);
});
