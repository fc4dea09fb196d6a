import type { EventStore, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { NIL } from 'uuid';
import { automationIdOf } from '../automation/automation.ts';
import { automationDeleted, automationStopped, endRun } from '../run/advance/end-run.ts';
import { timersAfter } from '../timers/run-timers.ts';
import { openRuns } from '../views/run-queries.ts';
import type { Definitions } from './ports.ts';
import { type LoadedRun, metadataOf, progressWithoutMemory, RunLog } from './run-log.ts';

interface Parts {
  readonly definitions: Definitions;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/** Event types with which a run begins to work, at first or again. */
const begins: ReadonlySet<string> = new Set(['RunStarted', 'RunRetried']);

/**
 * Reactor that ends the runs of a deleted automation, and those of a deactivated one whose definition wants that
 * (`onDeactivate`). Where a run goes on meanwhile, it is loaded again.
 */
export function stopRuns({ definitions, sql, store }: Parts): Reactor {
  const log = new RunLog(store);

  async function stop(runId: string, { type, position }: RecordedEvent): Promise<void> {
    for (;;) {
      const loaded = await log.load(runId);
      if (!loaded || loaded.run.phase === 'ended') return;
      const { automationId, version } = loaded.run;
      const [definition, now] = await Promise.all([definitions.load(automationId, version), store.now()]);
      const isDeleted = type === 'AutomationDeleted';
      if (!isDeleted && definition?.settings.onDeactivate !== 'stop') return;
      if (!isDeleted && (await hasBegunSince(position, loaded))) return;
      const progress = progressWithoutMemory(loaded, now.getTime());
      endRun(progress, isDeleted ? automationDeleted : automationStopped, definition);
      const effects = { metadata: metadataOf(loaded), ...timersAfter(progress.run) };
      const { kind } = await store.append(log.request(loaded, progress, effects));
      if (kind !== 'conflict') return;
    }
  }

  /**
   * Whether the run was started or retried after the automation was turned off: then it goes on, however late this
   * reactor hears of that.
   */
  async function hasBegunSince(position: number, loaded: LoadedRun): Promise<boolean> {
    const history = await log.historyOf(loaded);
    return history.some((event) => event.position > position && begins.has(event.type));
  }

  return defineReactor({
    name: 'stop-runs',
    handles: ['AutomationDeleted', 'AutomationDeactivated'],
    laneOf: byAccount,
    async react(event) {
      const automationId = automationIdOf(event.streamId);
      for (let after: string = NIL; ; ) {
        const runs = await openRuns(sql, automationId, after);
        await Promise.all(runs.map((runId) => stop(runId, event)));
        const last = runs.at(-1);
        if (last === undefined) return undefined;
        after = last;
      }
    },
  });
}
