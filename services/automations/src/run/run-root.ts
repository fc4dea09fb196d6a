import type { JsonValue } from '../json.ts';
import type { Run } from './run.ts';

interface RunFacts extends Pick<Run, 'runId' | 'automationId' | 'version' | 'startedAt' | 'chainDepth'> {
  readonly trigger: Pick<Run['trigger'], 'type'>;
}

/** What templates see as `run`. */
export const runRoot = ({
  runId,
  automationId,
  version,
  startedAt,
  chainDepth,
  trigger,
}: RunFacts): JsonValue => ({
  id: runId,
  automation_id: automationId,
  version,
  started_at: startedAt,
  chain_depth: chainDepth,
  trigger_type: trigger.type,
});
