import { testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { startRetry } from '../run/retry/retry.ts';
import { runStream } from '../run/run.ts';
import { timersAfter } from '../timers/run-timers.ts';
import { checkInvariants } from './invariants.fixture.ts';
import { busy, holdUp } from './provider.fixture.ts';
import { metadataOf, progressWithoutMemory, RunLog } from './run-log.ts';
import { World } from './world.fixture.ts';

const refused = { ...busy, transient: false } as const;
const only = [{ kind: 'action', id: 'unkeyed', effect: 'unkeyed' }] as const;

async function onlyRunId(world: World): Promise<string> {
  const [runId = expect.unreachable()] = await world.runIds();
  return runId;
}
const eventsOf = async (world: World) => world.store.readStream(runStream(await onlyRunId(world)));

test('an attempt whose lease is looked at before its process hears that it is on record begins once', async () => {
  const world = new World({ version: 1, steps: only }, undefined, 1);
  world.script(busy);
  await world.start('event-1');
  await world.work();
  world.now += 2_400;
  const [{ engine, timers, store } = expect.unreachable()] = world.living;
  const [timer = expect.unreachable()] = world.store.timers();
  const request = await timers[timer.kind]?.(timer, { store, metadata: testMetadata });
  if (!request) throw new Error('The step is tried again.');
  const { afterwards: hear, otherwise: _, ...append } = request;
  await world.store.append({ ...append, firesTimer: timer });
  const provider = holdUp(world);
  world.now += 2_000;
  await world.fireTimers();
  expect(engine.isDriving(await onlyRunId(world))).toBe(true);
  hear?.();
  for (let attempt = 0; attempt < 2; attempt += 1) await provider.letGo();
  expect((await eventsOf(world)).at(-1)).toMatchObject({ type: 'RunSucceeded' });
  expect(world.calls).toHaveLength(2);
  await checkInvariants(world);
});

test('a retry that is asked of two processes at the same moment, as where one gives no answer, is one with one answer', async () => {
  const world = new World({ version: 1, steps: only });
  world.script(refused);
  await world.start('event-1');
  await world.work();
  const runId = await onlyRunId(world);
  const commandId = '00000000-0000-4000-8000-000000000001';
  const replies = await world.retry(runId, [commandId, commandId]);
  const [first, second] = replies.map((reply) => reply.kind === 'ok' && reply.body);
  expect(first).toContain(runId);
  expect(second).toBe(first);
  expect((await eventsOf(world)).filter(({ type }) => type === 'RunRetried')).toHaveLength(1);
});

test('nothing is done for a run that is retried in the moment in which its automation is deleted', async () => {
  const world = new World({ version: 1, steps: only });
  world.script(refused);
  await world.start('event-1');
  await world.work();
  const runId = await onlyRunId(world);
  await world.retry(runId, ['00000000-0000-4000-8000-000000000001']);
  world.standing = { ...world.standing, status: 'deleted' };
  await world.work();
  expect((await eventsOf(world)).slice(-3)).toMatchObject([
    { type: 'RunRetried' },
    { type: 'StepFailed', data: { code: 'AUTOMATION_DELETED' } },
    { type: 'RunFailed' },
  ]);
  expect(world.calls).toHaveLength(1);
});

test('a worker that is not found once goes on with its run alone', async () => {
  const world = new World({ version: 1, steps: only });
  const provider = holdUp(world);
  await world.start('event-1');
  await world.work();
  for (const missed of [1, 0, 1, 0]) {
    world.missedLooks = missed;
    world.now += 2_000;
    await world.fireTimers(world.living.slice(1));
  }
  await provider.letGo();
  expect((await eventsOf(world)).map(({ type }) => type)).toEqual([
    'RunStarted',
    'StepStarted',
    'StepSucceeded',
    'RunSucceeded',
  ]);
  expect(world.calls).toHaveLength(1);
});

test('a retry whose process died before it answered keeps others from retrying for five seconds, and no longer', async () => {
  const world = new World({ version: 1, steps: only });
  world.script(refused, refused);
  await world.start('event-1');
  await world.work();
  const runId = await onlyRunId(world);
  const log = new RunLog(world.store);
  const [loaded, definition] = [await log.load(runId), world.versions.get(1)];
  if (!loaded || !definition) throw new Error('The run has failed.');
  const progress = progressWithoutMemory(loaded, world.now);
  const commandId = '00000000-0000-4000-8000-000000000001';
  startRetry(progress, 'unkeyed', definition, commandId);
  const command = { commandId, fingerprint: '', reply: null };
  const effects = { metadata: metadataOf(loaded), ...timersAfter(progress.run), command };
  await world.store.append(log.request(loaded, progress, effects));
  await world.work();
  const retry = () => world.retry(runId, ['00000000-0000-4000-8000-000000000002']);
  world.now += 4_999;
  expect(await retry()).toMatchObject([{ kind: 'rejected', rejection: { code: 'retry_failed' } }]);
  world.now += 1;
  expect(await retry()).toMatchObject([{ kind: 'ok' }]);
});
