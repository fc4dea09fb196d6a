import { AutomationCreated } from '@parley/contracts';
import type { EventStore, SqlExecutor, TimerRequest } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import type { StandingTimers } from '@parley/service-kit';
import { NIL } from 'uuid';
import { automationIdOf } from '../automation/automation.ts';
import { accountMoved, endRun } from '../run/advance/end-run.ts';
import { runPayload, timersAfter } from '../timers/run-timers.ts';
import { openRuns } from '../views/run-queries.ts';
import type { Definitions } from './ports.ts';
import { metadataOf, progressWithoutMemory, RunLog } from './run-log.ts';

/** The kind of the timer of each run that was under way when its account left another installation. */
export const importedRunKind = 'imported-run';

/**
 * Leaves the rest of the account time to arrive: an interrupted import can continue only while nothing else happened.
 */
const graceMs = 60_000;

/**
 * The timers of imported runs under way, found through their automations: an account may have any number of runs that
 * have ended.
 */
export const importedRuns = (sql: SqlExecutor): StandingTimers => ({
  types: [AutomationCreated.type],
  async of({ metadata: { imported }, streamId }) {
    const timers: TimerRequest[] = [];
    for (let after: string = NIL; imported; ) {
      const runs = await openRuns(sql, automationIdOf(streamId), after);
      timers.push(...runs.map(timerOf));
      const last = runs.at(-1);
      if (last === undefined) break;
      after = last;
    }
    return timers;
  },
});

const timerOf = (run_id: string): TimerRequest => ({
  id: `${importedRunKind}:${run_id}`,
  kind: importedRunKind,
  due: { afterMs: graceMs },
  payload: { run_id },
});

interface Parts {
  readonly definitions: Definitions;
  readonly store: EventStore;
}

/** Ends an imported run as failed: its payloads have not come with it, and nobody here knows what its step has done. */
export function endImportedRuns({ definitions, store }: Parts): TimerHandler {
  const log = new RunLog(store);
  return async (timer) => {
    const { run_id } = runPayload.parse(timer.payload);
    const loaded = await log.load(run_id);
    // A run that began or was retried in this installation goes on by itself.
    if (!loaded?.isImported || loaded.run.phase === 'ended') return undefined;
    const { automationId, version } = loaded.run;
    const [definition, now] = await Promise.all([definitions.load(automationId, version), store.now()]);
    const progress = progressWithoutMemory(loaded, now.getTime());
    endRun(progress, accountMoved, definition);
    return log.request(loaded, progress, {
      metadata: metadataOf(loaded),
      ...timersAfter(progress.run),
    });
  };
}
