import { afterEach, expect, test, vi } from 'vitest';
import { busy, holdUp } from './provider.fixture.ts';
import { RunLog } from './run-log.ts';
import { World } from './world.fixture.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const steps = [{ kind: 'action', id: 'call', effect: 'local' }] as const;
/** Of one process with four places: so many runs of an account, whose backoffs are over at the same moment. */
async function backoffsOver(world: World, runs: number): Promise<void> {
  world.script(...Array.from({ length: runs }, () => busy));
  for (let run = 0; run < runs; run += 1) await world.start(`event-${run}`);
  await world.work();
  world.now += 2_400;
}
const phases = async (world: World) => {
  const runs = await Promise.all((await world.runIds()).map((id) => new RunLog(world.store).load(id)));
  return runs.map((loaded) => loaded?.run.phase);
};
const waits = (world: World) =>
  world.store
    .timers()
    .flatMap(({ kind, dueAt }) => (kind === 'run-backoff' ? [Date.parse(dueAt) - world.now] : []));

test('backoffs that are over at once take no more than the share of their account', async () => {
  const world = new World({ version: 1, steps }, undefined, 1, 4);
  await backoffsOver(world, 6);
  const provider = holdUp(world);
  await world.fireTimers();
  expect((await phases(world)).filter((phase) => phase === 'executing')).toHaveLength(3);
  await provider.letGo();
  for (let look = 0; look < 4; look += 1) {
    world.now += 2_000;
    await world.fireTimers();
    await provider.letGo();
  }
  expect(await phases(world)).toEqual(Array(6).fill('ended'));
});

test('a place is given back where the append that was to fill it is refused, or its answer is lost', async () => {
  const world = new World({ version: 1, steps }, undefined, 1, 2);
  await backoffsOver(world, 1);
  const [backoff] = world.store.timers();
  if (!backoff) throw new Error('There is a backoff.');
  world.lostAnswers = 1;
  await world.fireAgain([backoff, backoff, backoff]);
  for (let look = 0; look < 3; look += 1) {
    world.now += 2_000;
    await world.fireTimers();
  }
  expect(await phases(world)).toEqual(['ended']);
});

test('a backoff that finds no place looks again less and less often', async () => {
  const world = new World({ version: 1, steps }, undefined, 1, 1);
  await backoffsOver(world, 2);
  holdUp(world);
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const waited: number[] = [];
  for (let look = 0; look < 8; look += 1) {
    await world.fireTimers();
    const [wait = 0] = waits(world);
    waited.push(wait);
    world.now += wait;
  }
  expect(waited).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});
