import { setTimeout as sleep } from 'node:timers/promises';
import { Nap } from '@parley/batching';
import { backoffMs, type OnProblem, Parked, pause } from '@parley/processing';
import type { Engine } from './engine.ts';
import type { ReadyRuns } from './ready-runs.ts';
import type { Slots } from './slots.ts';

/** What the admission of runs works with. */
export interface AdmissionParts {
  readonly engine: Pick<Engine, 'claim'>;
  readonly ready: ReadyRuns;
  readonly slots: Slots;
  /** Calls `wake` when there may be something to do; returns a function that ends this. */
  readonly onHint: (wake: () => void) => () => void;
  readonly onProblem: OnProblem;
}

/** How many runs are claimed at a time. */
const batchSize = 100;
/** Shortest time between two looks: hints come with every append, and looking more often finds nothing new. */
const pauseMs = 5;
/** How often ready runs are looked for without a hint, since hints may be lost. */
const pollMs = 500;

/** Has waiting runs begin as places become free. Every copy of the service does so, without a leader. */
export function startAdmission(parts: AdmissionParts): { close(): Promise<void> } {
  const closing = new AbortController();
  const running = admit(parts, closing.signal);
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function admit({ onHint, onProblem, ...parts }: AdmissionParts, signal: AbortSignal): Promise<void> {
  const nap = new Nap(signal);
  const stop = onHint(() => nap.wake());
  // Runs that this process could not begin, for example because it lacks a sealing key: they pause here and are left to
  // other copies, so that they do not hold up the rest.
  const parked = new Parked();
  for (let failures = 0; !signal.aborted; ) {
    try {
      const found = await claimSome(parts, parked);
      failures = 0;
      if (found > 0) continue;
    } catch (error) {
      failures += 1;
      onProblem({ kind: 'retrying', processor: 'admission', error, attempt: failures, position: null });
      await pause(backoffMs(failures), signal);
      continue;
    }
    await sleep(pauseMs);
    await nap.sleep(parts.slots.free > 0 ? pollMs : pauseMs);
  }
  stop();
}

/** Begins ready runs that find a place, except for parked ones; returns how many were handed out, begun or not. */
async function claimSome(
  { engine, ready, slots }: Pick<AdmissionParts, 'engine' | 'ready' | 'slots'>,
  parked: Parked,
): Promise<number> {
  const limit = Math.min(batchSize, slots.free);
  if (limit <= 0) return 0;
  let found = 0;
  const { maxPerAccount, taken } = slots;
  await ready.claim({ limit, maxPerAccount, taken, except: parked.waiting() }, async (runs) => {
    const claims = await Promise.all(runs.map((run) => engine.claim(run)));
    for (const [index, { runId }] of runs.entries())
      if (claims[index]) parked.done(runId);
      else parked.failed(runId);
    found = claims.length;
  });
  return found;
}
