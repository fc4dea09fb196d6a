import type { AppendRequest, TimerRequest } from '@parley/event-store';
import type { TimerAppend, TimerHandler } from '@parley/processing';
import { definitionGone, endRun, payloadsGone } from '../run/advance/end-run.ts';
import { takeOver, tryAgain } from '../run/advance/repeat-step.ts';
import { resume, waitForWindow } from '../run/advance/resume.ts';
import { findStep } from '../run/advance/walk.ts';
import type { Progress } from '../run/progress.ts';
import { placeMs } from '../run/retry/backoff.ts';
import { runCategory, runStream } from '../run/run.ts';
import {
  backoffKind,
  backoffPayload,
  backoffTimer,
  delayKind,
  delayPayload,
  delayTimer,
  leaseKind,
  leaseMs,
  leaseOn,
  leasePayload,
  leaseTimer,
  retentionKind,
  runPayload,
  timersAfter,
} from '../timers/run-timers.ts';
import type { Engine } from './engine.ts';
import { afterwards, type LoadedRun, metadataOf, type RunLog } from './run-log.ts';
import type { RunMemories } from './run-memory.ts';
import type { Slots } from './slots.ts';
import type { Workers } from './workers.ts';

interface Parts {
  readonly engine: Engine;
  readonly log: RunLog;
  readonly memories: RunMemories;
  readonly slots: Slots;
  readonly workers: Workers;
}

/**
 * How soon a worker that was not found is looked for again: one whose connection broke takes its lock back within this.
 */
const missedMs = 1_000;
/**
 * No attempt takes as many looks at its lease: a worker that is still alive then has lost the run without knowing it.
 */
const maxLooks = 50;

/**
 * Handlers of the timers of runs: a delay is over, a step is tried again, a lease runs out, payloads are to be erased.
 */
export function runTimerHandlers(parts: Parts): Readonly<Record<string, TimerHandler>> {
  const { log, engine, slots } = parts;
  return {
    async [delayKind](timer) {
      const { run_id, gen } = delayPayload.parse(timer.payload);
      const loaded = await log.load(run_id);
      if (loaded?.run.phase !== 'paused') return undefined;
      const { pause } = loaded.run;
      const definition = await engine.definitionOf(loaded);
      const progress = await engine.progressOf(loaded, undefined);
      if (definition) waitForWindow(progress, gen, definition);
      resume(progress, gen);
      if (progress.events.length > 0) return append(parts, loaded, progress);
      // The timer fired too early, because the clock was set back after it was due: it is set again.
      const isEarly = pause?.gen === gen;
      return isEarly ? later(loaded, delayTimer(run_id, pause)) : undefined;
    },

    async [backoffKind](timer) {
      const { run_id, looks } = backoffPayload.parse(timer.payload);
      const loaded = await log.load(run_id);
      if (loaded?.run.phase !== 'backoff') return undefined;
      // A step that waits for a place leaves other accounts their share, as ready runs do.
      if (!slots.hasRoomFor(loaded.accountId))
        return later(loaded, backoffTimer(run_id, placeMs(looks, Math.random()), looks + 1));
      return repeat(parts, loaded, tryAgain);
    },

    async [leaseKind](timer) {
      const known = leasePayload.parse(timer.payload);
      const loaded = await log.load(known.run_id);
      if (loaded?.run.phase !== 'executing') return undefined;
      const lease = leaseOn(known, loaded.run);
      let standing = await look(parts, lease);
      const hasRoom = slots.free > 0;
      if (standing === 'gone' && hasRoom && (await beginLate(parts, loaded))) standing = 'alive';
      if (standing !== 'gone' || !hasRoom) {
        const missed = standing === 'alive' ? 0 : lease.missed + 1;
        const afterMs = standing === 'alive' ? leaseMs : missedMs;
        return later(loaded, leaseTimer({ ...lease, looks: lease.looks + 1, missed }, afterMs));
      }
      return repeat(parts, loaded, takeOver);
    },

    async [retentionKind](timer) {
      const { run_id } = runPayload.parse(timer.payload);
      const loaded = await log.load(run_id);
      if (loaded?.run.phase !== 'ended') return undefined;
      const progress = await engine.progressOf(loaded, undefined);
      progress.add({ type: 'RunPayloadsErased', data: { run_id, why: 'retention', at: progress.at } });
      return log.request(loaded, progress, { metadata: metadataOf(loaded) });
    },
  };
}

/**
 * Whether the worker still works on the run. One that is not found is `missed` at the first look, `gone` at the second.
 */
async function look(
  { engine, workers }: Parts,
  { run_id, worker, looks, missed }: { run_id: string; worker: string; looks: number; missed: number },
): Promise<'alive' | 'missed' | 'gone'> {
  if (worker === workers.self) return engine.isDriving(run_id) ? 'alive' : 'gone';
  if (await workers.isAlive(worker)) return looks < maxLooks ? 'alive' : 'gone';
  return missed > 0 ? 'gone' : 'missed';
}

/** The run's current step and its input, to be done again; `fault` instead where the run has to end. */
async function preparedStep({ engine, memories }: Parts, loaded: LoadedRun) {
  const [prepared, input] = await Promise.all([engine.prepare(loaded), memories.inputOf(loaded)]);
  const { definition, memory, fault } = prepared;
  const { current } = loaded.run;
  const step = definition && current !== null ? findStep(definition.steps, current) : undefined;
  if (fault || !memory || !definition || step?.kind !== 'action')
    return { fault: fault ?? definitionGone, definition, memory };
  if (input === undefined) return { fault: payloadsGone, definition, memory };
  return { definition, memory, work: { step, input } };
}

/**
 * Begins an attempt of this process whose start is on record, though the answer of its append was lost. Nothing has
 * been done for it, whereas a takeover would have to assume that something may have been. False when it is no such attempt.
 */
async function beginLate(parts: Parts, loaded: LoadedRun): Promise<boolean> {
  const { engine } = parts;
  if (!engine.isAwaiting(loaded)) return false;
  const prepared = await preparedStep(parts, loaded);
  if ('fault' in prepared) return false;
  engine.carryOn({ loaded, ...prepared }, prepared.work);
  return true;
}

/**
 * Does the run's step again in this process. The place is taken before anything is awaited, because many timers may be
 * due at once.
 */
async function repeat(
  parts: Parts,
  loaded: LoadedRun,
  decide: typeof tryAgain,
): Promise<TimerAppend | undefined> {
  const { giveBack } = parts.slots.take(loaded.accountId, loaded.run);
  const request = await decided(parts, loaded, decide).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  if (!request?.afterwards) {
    giveBack();
    return request;
  }
  const { afterwards: begin } = request;
  return {
    ...request,
    otherwise: giveBack,
    afterwards() {
      giveBack();
      begin();
    },
  };
}

/**
 * The append that starts the step again and then begins it, or that ends the run; undefined when the run has moved on.
 */
async function decided(
  parts: Parts,
  loaded: LoadedRun,
  decide: typeof tryAgain,
): Promise<TimerAppend | undefined> {
  const { engine } = parts;
  const prepared = await preparedStep(parts, loaded);
  const progress = await engine.progressOf(loaded, prepared.memory);
  if ('fault' in prepared) {
    endRun(progress, prepared.fault, prepared.definition);
    return append(parts, loaded, progress);
  }
  const work = decide(progress, prepared.work.step, prepared.work.input);
  if (progress.events.length === 0) return undefined;
  const request = append(parts, loaded, progress);
  if (!work) return request;
  const held = { ...prepared, loaded: afterwards(loaded, progress, request) };
  engine.awaitStartOf(held.loaded);
  return { ...request, afterwards: () => engine.carryOn(held, work) };
}

const append = ({ engine, log }: Parts, loaded: LoadedRun, progress: Progress): AppendRequest =>
  log.request(loaded, progress, {
    metadata: metadataOf(loaded),
    ...timersAfter(progress.run, engine.worker),
  });

/** Sets the timer again and appends no event. */
const later = (loaded: LoadedRun, { id, kind, due, payload }: TimerRequest): AppendRequest => ({
  streamId: runStream(loaded.run.runId),
  category: runCategory,
  accountId: loaded.accountId,
  expectedVersion: 'any',
  events: [],
  metadata: metadataOf(loaded),
  timers: [{ id, kind, due, payload }],
});
