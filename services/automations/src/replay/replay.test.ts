import { type AutomationCondition, automationDefinition } from '@parley/contracts';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { ActionOutcome } from '../actions/action.ts';
import { compileDefinition } from '../definition/compile-definition.ts';
import { actions } from '../definition/definition.fixture.ts';
import { Process } from '../engine/processes.fixture.ts';
import { RunLog } from '../engine/run-log.ts';
import { RunMemories } from '../engine/run-memory.ts';
import { World } from '../engine/world.fixture.ts';
import { Effort } from '../expression/effort.ts';
import { advance } from '../run/advance/advance.ts';
import { tryAgain } from '../run/advance/repeat-step.ts';
import { settle } from '../run/advance/settle.ts';
import type { StepSpec } from '../run/definition.fixture.ts';
import { busy, justStarted, later } from '../run/progress.fixture.ts';
import { Progress } from '../run/progress.ts';
import { startRetry } from '../run/retry/retry.ts';
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

test('a step that was tried again sees the time at which its input was worked out', () => {
  const { run, circumstances } = justStarted();
  const { compiled } = compileDefinition(
    automationDefinition.parse({
      schema: 1,
      name: 'Tell',
      trigger: { type: 'webhook.inbound' },
      steps: [
        {
          id: 'tell',
          type: 'http.request',
          input: { method: 'POST', url: 'https://example.com', text: '{{now}}' },
        },
      ],
    }),
    { automationId: run.automationId, version: run.version, actions },
  );
  const first = new Progress(
    run,
    { trigger: null, outputs: new Map() },
    { ...circumstances, newRef: uuidv7 },
  );
  const work = advance(first, compiled);
  if (!work) throw new Error('There is work.');
  settle(first, work.step, busy, 0);
  const second = later(first, 10_000);
  tryAgain(second, work.step, work.input);
  settle(second, work.step, ok, 0);
  const inputs = new Map([[work.step.path, work.input]]);
  const report = replay({ run: second.run, memory: second.memory, inputs }, compiled);
  expect(report.steps.flatMap(({ differs }) => differs)).toEqual([]);
});

const forks = (...conditions: readonly AutomationCondition[]) => {
  const { run, circumstances } = justStarted();
  const steps = conditions.map((when, at) => ({
    id: `fork_${at}`,
    type: 'branch',
    branches: [{ id: 'yes', when, steps: [] }],
  }));
  const { compiled } = compileDefinition(
    automationDefinition.parse({ schema: 1, name: 'Forks', trigger: { type: 'webhook.inbound' }, steps }),
    { automationId: run.automationId, version: run.version, actions },
  );
  return { run, circumstances, compiled };
};

test('a step that was retried sees the time at which it was, though what comes before it saw another one', () => {
  const began = Date.parse(justStarted().run.startedAt);
  const isLate = { op: 'after', left: '{{now}}', right: new Date(began + 1).toISOString() } as const;
  const { run, circumstances, compiled } = forks(
    { not: isLate },
    { any: [isLate, { op: 'gt', left: 'none', right: 1 }] },
  );
  const memory = { trigger: null, outputs: new Map() };
  const first = new Progress(run, memory, circumstances);
  advance(first, compiled);
  expect(first.run.status).toBe('FAILED');
  const retried = new Progress(first.run, first.memory, { ...circumstances, now: began + 2 });
  startRetry(retried, 'fork_1', compiled, null);
  advance(retried, compiled);
  const report = replay({ run: retried.run, memory, inputs: new Map() }, compiled);
  expect([report.recorded_status, report.replayed_status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(report.steps.flatMap(({ differs }) => differs)).toEqual([]);
});

describe('how much a run may look at', () => {
  const often = (times: number, of: AutomationCondition) => ({
    all: Array.from({ length: times }, () => of),
  });
  const look: AutomationCondition = { op: 'exists', left: '{{trigger.list}}' };
  const { run, circumstances, compiled } = forks(often(5, often(50, look)), look);
  const memory = { trigger: { list: Array.from({ length: 10_000 }, () => '') }, outputs: new Map() };

  function workedOutWith(effort: Effort) {
    const progress = new Progress(run, memory, circumstances);
    progress.effort = effort;
    advance(progress, compiled);
    return { run: progress.run, memory, inputs: new Map() };
  }

  test.each([
    ['a run from before there was a limit', new Effort(Number.POSITIVE_INFINITY), 'SUCCEEDED'],
    ['a run that the limit ended at its second step', new Effort(2_505_000), 'FAILED'],
  ])('%s is replayed to what is on record', (_, effort, status) => {
    const report = replay(workedOutWith(effort), compiled);
    expect([report.recorded_status, report.replayed_status]).toEqual([status, status]);
    expect(report.steps.map(({ path, differs }) => [path, differs])).toEqual([
      ['fork_0', []],
      ['fork_1', []],
    ]);
  });

  test('is limited on another version, whatever is on record', () => {
    const unlimited = workedOutWith(new Effort(Number.POSITIVE_INFINITY));
    const [first] = replay(unlimited, { ...compiled, version: compiled.version + 1 }).steps;
    expect(first).toMatchObject({ path: 'fork_0', differs: ['status', 'branch', 'error'] });
  });
});
