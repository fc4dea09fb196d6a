import { StoreUnavailable } from '@parley/event-store';
import { testMetadata } from '@parley/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { runStream } from '../run/run.ts';
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

test('a place is given back where what is to be done cannot be said, as while the database is away', async () => {
  const world = new World({ version: 1, steps }, undefined, 1, 2);
  await backoffsOver(world, 1);
  const [backoff = expect.unreachable()] = world.store.timers();
  const [{ timers, store } = expect.unreachable()] = world.living;
  const away = vi.spyOn(world.store, 'now').mockRejectedValue(new StoreUnavailable('not-written'));
  for (let look = 0; look < 3; look += 1)
    await expect(timers[backoff.kind]?.(backoff, { store, metadata: testMetadata })).rejects.toThrow(
      StoreUnavailable,
    );
  away.mockRestore();
  await world.fireTimers();
  expect(await phases(world)).toEqual(['ended']);
});

test('what a process that died was at is taken over by one that has a place for it', async () => {
  const world = new World({ version: 1, steps }, undefined, 2, 1);
  const provider = holdUp(world);
  const [first = expect.unreachable(), second = expect.unreachable()] = world.living;
  for (const { engine } of [first, second]) {
    await world.start(`event-of-${engine.worker}`);
    const [runId = expect.unreachable()] = await world.readyRuns();
    void engine.claim({ runId, accountId: 3 });
    await world.drain();
  }
  const [orphan = expect.unreachable()] = await world.runIds();
  const look = async () => {
    world.now += 2_000;
    await world.fireTimers([second]);
    const events = await world.store.readStream(runStream(orphan));
    return events.filter(({ type }) => type === 'StepStarted').length;
  };
  world.kill(0);
  expect([await look(), await look(), await look()]).toEqual([1, 1, 1]);
  await provider.letGo();
  expect(await look()).toBe(2);
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

const twoSteps = [...steps, { kind: 'action', id: 'then', effect: 'local' }] as const;
const large = { ok: true, output: 'x'.repeat(250_000) } as const;
const under = async (world: World, phase: string) =>
  (await phases(world)).filter((each) => each === phase).length;

/** Of one process with eight places: six runs of an account, which work on much from their second step on. */
async function largeRuns(): Promise<{ world: World; letGo: () => Promise<void> }> {
  const world = new World({ version: 1, steps: twoSteps }, undefined, 1, 8);
  world.script(...Array.from({ length: 6 }, () => large));
  const { letGo } = holdUp(world);
  for (let run = 0; run < 6; run += 1) await world.start(`event-${run}`);
  await world.work();
  expect(await under(world, 'executing')).toBe(6);
  await letGo();
  return { world, letGo };
}

test('runs that work on much wait for one another between their steps, and each step is done once', async () => {
  const { world, letGo } = await largeRuns();
  expect(await under(world, 'executing')).toBe(3);
  expect(await under(world, 'ready')).toBe(3);
  await world.work();
  expect(await under(world, 'executing')).toBe(3);
  for (let turn = 0; turn < 2; turn += 1) {
    await letGo();
    await world.work();
  }
  expect(await phases(world)).toEqual(Array(6).fill('ended'));
  expect(world.calls).toHaveLength(12);
});

test('backoffs of runs that work on much take as many places as these do', async () => {
  const { world, letGo } = await largeRuns();
  world.script(busy, busy, busy);
  await letGo();
  expect(await under(world, 'backoff')).toBe(3);
  await world.work();
  expect(await under(world, 'executing')).toBe(3);
  world.now += 2_400;
  await world.fireTimers();
  expect(await under(world, 'executing')).toBe(3);
});

test('a run that works on more than there are places goes on alone', async () => {
  const world = new World({ version: 1, steps: twoSteps }, undefined, 1, 1);
  world.script(large);
  await world.start('event');
  await world.work();
  expect(await phases(world)).toEqual(['ended']);
});
