import type { JsonObject } from '@parley/event-store';
import { defineResource } from '@parley/service-kit';
import { run } from '../fold-run.ts';
import { type RunState, runStream } from '../run.ts';
import { describeRunEvent } from './describe.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A run as operators and the account's history see it, without its payloads. */
export const runResource = defineResource({
  name: 'run',
  streamOf: (id) => (uuid.test(id) ? runStream(id) : undefined),
  fold: run,
  describe: describeRunEvent,
  show: showRun,
});

export function showRun(state: RunState): JsonObject | null {
  if (!state) return null;
  const { runId, automationId, version, status, epoch, startedAt, activeMs, pause, steps, isErased } = state;
  return {
    id: runId,
    automation_id: String(automationId),
    version,
    status,
    retries: epoch,
    start_time: startedAt,
    duration_ms: activeMs,
    paused_until: pause?.until ?? null,
    payloads_erased: isErased,
    steps: Object.fromEntries(
      [...steps.values()].map(({ path, status: stepStatus, attempt, takeover, branch, fault }) => [
        path,
        {
          status: stepStatus,
          attempts: attempt,
          takeover,
          branch,
          error: fault && `[${fault.code}] ${fault.message}`,
        },
      ]),
    ),
  };
}
