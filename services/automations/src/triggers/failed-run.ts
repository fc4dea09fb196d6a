import type { EventStore, RecordedEvent } from '@parley/event-store';
import type { Definitions } from '../engine/ports.ts';
import { withoutPayloads } from '../engine/retries.ts';
import { type LoadedRun, RunLog } from '../engine/run-log.ts';
import type { JsonValue } from '../json.ts';
import { renderRetry, renderStep } from '../run/render/render.ts';
import { judgeRetry, type RetryFacts } from '../run/retry/retry.ts';
import type { AutomationQueries, AutomationRow } from '../views/automation-queries.ts';

/** What templates see as `trigger` in a run that a failure started. */
export interface FailedRun {
  readonly [name: string]: JsonValue;
  readonly automation_id: number;
  readonly chain_depth: number;
}

/**
 * What a `run.failed` trigger tells of a failed run, as it was then. Undefined for a run that was itself started by a
 * failure, so that failures do not feed themselves. Pure.
 */
export function describeFailure(
  { run, chainDepth }: Pick<LoadedRun, 'run' | 'chainDepth'>,
  name: string,
  facts: Pick<RetryFacts, 'now' | 'pinned' | 'newest'>,
): FailedRun | undefined {
  const failed = run.current === null ? undefined : run.steps.get(run.current);
  if (run.trigger.type === 'run.failed' || !failed?.fault) return undefined;
  const { id, name: title, path, type, attempts, classification, error } = renderStep(failed, facts.pinned);
  const { code, message } = failed.fault;
  return {
    automation_id: run.automationId,
    automation_name: name,
    run_id: run.runId,
    version: run.version,
    trigger_type: run.trigger.type,
    step: { id, name: title, path, type, attempts },
    error,
    code,
    message,
    classification,
    started_at: run.startedAt,
    failed_at: run.at,
    chain_depth: chainDepth,
    retries: run.epoch,
    retry: renderRetry(run, judgeRetry(run, { ...facts, isUnderWay: false })),
  };
}

interface Parts {
  readonly definitions: Definitions;
  readonly queries: AutomationQueries;
  readonly store: EventStore;
}

/**
 * Finds the run of a `RunFailed` event, as it was then. Undefined where it starts nothing: the automation is deleted,
 * or the run was itself started by a failure.
 */
export function createFailedRuns({ definitions, queries, store }: Parts) {
  const log = new RunLog(store);
  return async ({ streamId, position, recordedAt }: RecordedEvent): Promise<FailedRun | undefined> => {
    const found = await log.load(streamId.slice('run-'.length), { position });
    if (!found) return undefined;
    const loaded = withoutPayloads(found);
    const { automationId, version } = loaded.run;
    const automation: AutomationRow | undefined = await queries.find(automationId);
    if (!automation || automation.isDeleted) return undefined;
    const [pinned, newest] = await Promise.all(
      [version, automation.definitionVersion].map((each) => definitions.load(automationId, each)),
    );
    return describeFailure(loaded, automation.name, { now: Date.parse(recordedAt), pinned, newest });
  };
}
