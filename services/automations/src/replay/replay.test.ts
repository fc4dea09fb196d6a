import { expect, test } from 'vitest';
import type { ActionOutcome } from '../actions/action.ts';
import { Process } from '../engine/processes.fixture.ts';
import { RunLog } from '../engine/run-log.ts';
import { RunMemories } from '../engine/run-memory.ts';
import { World } from '../engine/world.fixture.ts';
import type { StepSpec } from '../run/definition.fixture.ts';
import { replay } from './replay.ts';

const action = (id: string): StepSpec => ({ kind: 'action', effect: 'local', id });
const steps: readonly StepSpec[] = [
  action('first'),
  { kind: 'branch', id: 'fork', takes: 0, steps: [action('inside')], otherwise: [] },
  { kind: 'delay', id: 'wait', for: 'PT1H' },
  action('last'),
];
const failure: ActionOutcome = {
  ok: false,
  code: 'LEAD_NOT_FOUND',
  class: 'missing_record',
  message: 'No such lead.',
  transient: false,
  definite: true,
};

async function recorded(world: World) {
  const [runId = ''] = await world.runIds();
  const loaded = await new RunLog(world.store).load(runId);
  if (!loaded) throw new Error('There is a run.');
  const memories = new RunMemories(world.payloadsFor(new Process('reader', world.points, () => 0)));
  const [memory, inputs] = await Promise.all([memories.of(loaded), memories.inputsOf(loaded)]);
  if (!memory) throw new Error('Its payloads are there.');
  return { run: loaded.run, memory, inputs };
}

async function runOf(...outcomes: readonly ActionOutcome[]): Promise<World> {
  const world = new World({ version: 1, steps });
  world.script(...outcomes);
  await world.start('event');
  for (let round = 0; round < 3; round += 1) {
    await world.work();
    world.now += 3_600_001;
    await world.fireTimers();
  }
  await world.work();
  return world;
}

const ok: ActionOutcome = { ok: true, output: { said: 'then' } };
const definitionOf = (world: World, version: number) => {
  const found = world.versions.get(version);
  if (!found) throw new Error('There is such a version.');
  return found;
};

test.each([
  ['succeeded', [ok, ok, ok]],
  ['failed', [ok, ok, failure]],
])('a replay on its own version of a run that %s comes to what is on record', async (_status, outcomes) => {
  const world = await runOf(...outcomes);
  const calls = world.calls.length;
  const report = replay(await recorded(world), definitionOf(world, 1));
  expect(report.steps.map(({ path, differs }) => [path, differs])).toEqual([
    ['first', []],
    ['fork', []],
    ['fork/yes/inside', []],
    ['wait', []],
    ['last', []],
  ]);
  expect(report.replayed_status).toBe(report.recorded_status);
  expect(world.calls).toHaveLength(calls);
});

test('a replay on another version shows what would be different, with dry runs for what never ran', async () => {
  const world = await runOf(ok, ok, ok);
  const branch: StepSpec = {
    kind: 'branch',
    id: 'fork',
    takes: 1,
    steps: [action('inside')],
    otherwise: [action('other')],
  };
  world.define({ version: 2, steps: [action('first'), branch, action('last')] });
  const report = replay(await recorded(world), definitionOf(world, 2));
  expect(report.steps.map(({ path, differs, output }) => [path, differs, output])).toEqual([
    ['first', [], 'recorded'],
    ['fork', ['branch'], 'recorded'],
    ['fork/else/other', ['added'], 'dry_run'],
    ['last', ['input'], 'recorded'],
    ['fork/yes/inside', ['missing'], null],
    ['wait', ['missing'], null],
  ]);
});

test('a run that waits is replayed to where it waits', async () => {
  const world = new World({ version: 1, steps });
  await world.start('event');
  await world.work();
  const report = replay(await recorded(world), definitionOf(world, 1));
  expect([report.replayed_status, report.steps.flatMap(({ differs }) => differs)]).toEqual(['PAUSED', []]);
});
