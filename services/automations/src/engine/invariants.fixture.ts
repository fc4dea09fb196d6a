import { isDeepStrictEqual } from 'node:util';
import type { RunEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { CompiledDefinition } from '../definition/compiled.ts';
import { delayEnd } from '../run/advance/delay-time.ts';
import { findStep } from '../run/advance/walk.ts';
import { run } from '../run/fold-run.ts';
import { renderRun } from '../run/render/render.ts';
import { judgeRetry } from '../run/retry/retry.ts';
import { refusalOf } from '../run/retry/retry-rules.ts';
import { type Run, type RunState, runStream } from '../run/run.ts';
import { runTimerId } from '../timers/run-timers.ts';
import type { World } from './world.fixture.ts';

type Recorded = RecordedEvent & RunEvent;

/** What must hold after every command; the numbers are those of the design's invariants. */
export async function checkInvariants(world: World): Promise<void> {
  const runIds = await world.runIds();
  // 11: an event makes one run.
  expect(11, new Set(runIds).size === runIds.length);
  for (const runId of runIds) {
    // Read from the log of this service: nothing else writes to these streams.
    const history = (await world.store.readStream(runStream(runId))) as unknown as Recorded[];
    checkHistory(world, runId, history);
  }
}

function expect(invariant: number, holds: boolean, about: unknown = ''): void {
  if (!holds) throw new Error(`Invariant ${invariant} is broken: ${JSON.stringify(about)}`);
}

const fold = (history: readonly Recorded[]): RunState => history.reduce(run.evolve, run.initialState);

function checkHistory(world: World, runId: string, history: readonly Recorded[]): void {
  // 1: no gap, and the fold is the same whenever it is made.
  for (const [index, { streamVersion }] of history.entries()) expect(1, streamVersion === index + 1, history);
  const state = fold(history);
  expect(1, isDeepStrictEqual(state, fold(history)));
  if (!state) throw new Error(`Run ${runId} has no beginning.`);
  checkEdges(history);
  checkSteps(world, state, history);
  checkDelays(world, history);
  checkTimers(world, state);
  checkClassification(world, state);
  checkVersions(world, history);
}

const open = new Set(['ready', 'executing', 'backoff', 'paused']);
/** From which phase an event may follow; 2. */
const edges: Readonly<Record<RunEvent['type'], readonly string[]>> = {
  RunStarted: ['none'],
  StepStarted: ['ready', 'backoff', 'executing'],
  StepSucceeded: ['executing', 'ready'],
  StepRetryScheduled: ['executing'],
  StepFailed: [...open],
  RunPaused: ['executing', 'paused'],
  RunResumed: ['paused'],
  RunFailed: [...open],
  RunSucceeded: ['ready'],
  RetryRequested: ['ended'],
  RunRetried: ['ended'],
  RunPayloadsErased: ['ended'],
};

function checkEdges(history: readonly Recorded[]): void {
  let state: RunState = null;
  let duration = 0;
  for (const event of history) {
    const { type } = event;
    expect(2, edges[type].includes(state?.phase ?? 'none'), [type, state?.phase]);
    // Succeeded is final, failed ends only by a retry.
    if (state?.status === 'SUCCEEDED') expect(2, type === 'RunPayloadsErased', type);
    if (state?.status === 'FAILED')
      expect(2, ['RetryRequested', 'RunRetried', 'RunPayloadsErased'].includes(type), type);
    const next: RunState = run.evolve(state, event);
    // 21: the duration never decreases and stands still while the run waits.
    const active: number = next?.activeMs ?? 0;
    expect(21, active >= duration, history);
    if (state?.phase === 'paused' || state?.status === 'FAILED') expect(21, active === duration, type);
    duration = active;
    state = next;
  }
}

function checkSteps(world: World, state: Run, history: readonly Recorded[]): void {
  // 8: that nobody knows what a step has done is the work of a process that died.
  const unknown = history.filter(
    (event) => event.type === 'StepFailed' && event.data.code === 'OUTCOME_UNKNOWN',
  );
  expect(8, unknown.length <= world.deaths, unknown);
  const succeeded = new Map<string, Recorded>();
  let afterRetry: string | null = null;
  for (const event of history) {
    if (event.type === 'StepSucceeded') {
      // 3, 5: once in the run's whole life, so that outputs never change.
      expect(3, !succeeded.has(event.data.path), event.data.path);
      succeeded.set(event.data.path, event);
    }
    if (event.type === 'StepStarted') {
      // 4: whatever leads to it has succeeded.
      for (const before of leadingTo(event.data.path)) expect(4, succeeded.has(before), event.data.path);
      // 5: a retry goes on with the step that failed.
      if (afterRetry !== null) expect(5, event.data.path === afterRetry, [afterRetry, event.data.path]);
      afterRetry = null;
    }
    if (event.type === 'RunRetried') {
      afterRetry = event.data.from_step;
      expect(5, event.data.kept_steps === succeeded.size, event.data);
    }
  }
  for (const [path, { effectKey }] of state.steps) {
    if (effectKey === '') continue;
    const calls = world.calls.filter((call) => call.effectKey === effectKey);
    const starts = history.filter((event) => event.type === 'StepStarted' && event.data.path === path);
    // 8: nothing is done that is not on record first; what has a key succeeds once.
    if (state.steps.get(path)?.effect !== 'pure') expect(8, eachHasItsOwn(calls, starts), [path, calls]);
    if (['local', 'keyed'].includes(state.steps.get(path)?.effect ?? ''))
      expect(8, calls.filter(({ isSuccess }) => isSuccess).length <= 1, path);
  }
  const keys = world.calls
    .filter((call) => call.runId === state.runId)
    .map(({ path, effectKey }) => [path, effectKey]);
  expect(8, new Set(keys.map(String)).size === new Set(keys.map(([path]) => path)).size, keys);
}

/** Every call was caused by a start on record, and no two by the same one. */
function eachHasItsOwn(calls: World['calls'], starts: readonly Recorded[]): boolean {
  const causes = new Set(calls.map(({ causationId }) => causationId));
  const ids = new Set(starts.map(({ eventId }) => eventId));
  return causes.size === calls.length && causes.isSubsetOf(ids);
}

/** The branches that a path goes through: they are decided before what they hold. */
function leadingTo(path: string): string[] {
  const parts = path.split('/');
  return parts.flatMap((_, index) => (index % 2 === 1 ? [parts.slice(0, index).join('/')] : []));
}

/** 6: each delay ends once, never early, and while its window is open. */
function checkDelays({ versions }: World, history: readonly Recorded[]): void {
  const pauses = new Map<number, string>();
  let version = 0;
  for (const event of history) {
    if (event.type === 'RunStarted') version = event.data.version;
    if (event.type === 'RunRetried') version = event.data.version_to;
    if (event.type === 'RunPaused') {
      expect(6, !pauses.has(event.data.gen), event.data);
      pauses.set(event.data.gen, event.data.until);
    }
    if (event.type === 'RunResumed') {
      const until = pauses.get(event.data.gen);
      expect(
        6,
        until !== undefined && event.data.at >= until && Date.parse(event.recordedAt) >= Date.parse(until),
        event.data,
      );
      pauses.set(event.data.gen, '9');
      expect(6, isOpen(versions.get(version), event.data), event.data);
    }
  }
}

/** Whether the window of a delay is open at a moment; a delay without one is always over. */
function isOpen(
  definition: CompiledDefinition | undefined,
  { path, at }: { readonly path: string; readonly at: string },
): boolean {
  if (!definition) return false;
  const step = findStep(definition.steps, path);
  if (step?.kind !== 'delay') return false;
  const now = Date.parse(at);
  const end = delayEnd(now, { for: 'PT0S' }, definition.timezone, step.window);
  return end.ok && end.value.until === now;
}

/** 7, 13, 22. */
function checkTimers(world: World, state: Run): void {
  const timers = world.store.timers().filter(({ id }) => id === runTimerId(state.runId));
  const expected = { ready: 0, executing: 1, backoff: 1, paused: 1, ended: 0 }[state.phase];
  expect(7, timers.length === expected, [state.phase, timers]);
  const kinds = { executing: 'run-lease', backoff: 'run-backoff', paused: 'run-delay' } as const;
  if (timers[0] && state.phase in kinds)
    expect(7, timers[0].kind === kinds[state.phase as keyof typeof kinds], [state.phase, timers]);
  if (state.phase === 'paused') expect(7, timers[0]?.payload.gen === state.pause?.gen, timers);
  if (state.isErased) expect(22, timers.length === 0 && state.phase === 'ended', state.phase);
}

/** 12, and 15 for every moment to come. */
function checkClassification(world: World, state: Run): void {
  const { versions, now, standing } = world;
  const [pinned, newest] = [versions.get(state.version), versions.get(standing.version)];
  const judgement = judgeRetry(state, { now, pinned, newest, isUnderWay: false });
  const { steps } = renderRun(state, now, judgement);
  const failed = steps.filter(({ status }) => status === 'FAILED');
  expect(12, failed.length === (state.status === 'FAILED' ? 1 : 0), steps);
  if (state.status === 'SUCCEEDED')
    expect(
      12,
      steps.every(({ status }) => status === 'SUCCEEDED'),
      steps,
    );
  for (const { status, classification, error } of steps) {
    expect(12, (classification === 'paused_at_delay') === (status === 'PAUSED'), steps);
    expect(12, (classification === 'ok' || classification === 'paused_at_delay') === (error === null), steps);
  }
  expect(12, steps.some(({ status }) => status === 'PAUSED') === (state.status === 'PAUSED'), steps);
  const stale = (at: number) =>
    refusalOf({ ...state, status: 'FAILED' }, { now: at, isUnderWay: false, hasDefinition: true });
  if (state.isErased) expect(15, stale(now) !== null);
  if (stale(now)) expect(15, stale(now + 1e10) !== null);
}

/** 14: a run follows its version; another one only from a retry on, and only with the same steps before. */
function checkVersions(world: World, history: readonly Recorded[]): void {
  let version = 0;
  for (const event of history) {
    if (event.type === 'RunStarted') version = event.data.version;
    if (event.type !== 'RunRetried') continue;
    expect(14, event.data.version_from === version, event.data);
    const [from, to] = [world.versions.get(version), world.versions.get(event.data.version_to)];
    const { from_step: path } = event.data;
    if (version !== event.data.version_to)
      expect(14, from?.prefixHashOf(path) === to?.prefixHashOf(path), path);
    version = event.data.version_to;
  }
}
