import type { PostgresEventStore } from '@parley/event-store';
import { createTestDatabase, eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { fillLog } from '../fixtures/counters.fixture.ts';
import { countedPositions, echoedPositions, echoReactor } from '../fixtures/echo.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import { unreliableSource } from '../fixtures/unreliable-source.fixture.ts';
import { startReactors } from './start-reactors.ts';

async function openService(): Promise<PostgresEventStore> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const service = await startCopy(url);
  onTestFinished(() => service.close());
  return service;
}

test("a reactor's effects of another service's events, delivered three times and in any order, happen once and in order, and its position is kept with them", async () => {
  const [store, other] = [await openService(), await openService()];
  const source = unreliableSource(other, seeded(20_261_121));
  const run = () => startReactors({ store, pool: store.pool, reactors: [echoReactor({ source })] });
  for (let round = 0; round < 4; round += 1) {
    const running = await run();
    await fillLog(other, 150, 5);
    await eventually(async () => expect((await echoedPositions(store)).length).toBeGreaterThan(100 * round));
    await running.close();
  }
  const running = await run();
  onTestFinished(() => running.close());
  await eventually(async () => expect(await echoedPositions(store)).toEqual(await countedPositions(other)));
  expect(await other.readStream('echo-1')).toEqual([]);
});

/** Mulberry32: the same deliveries at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
