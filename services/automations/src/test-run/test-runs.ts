import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import type { Definitions } from '../engine/ports.ts';
import type { JsonValue } from '../json.ts';
import type { RunStart, RunStarter } from '../run/advance/start-run.ts';
import { trialPrefix } from '../run/run.ts';
import { depthBelow } from '../triggers/chain.ts';
import { type DryStep, dryRun } from './dry-run.ts';

/** The outcome of a try, as the answer shows it. */
interface TestOutcome {
  /** The real run that was started; null for a dry run. */
  readonly run_id: string | null;
  /** Whether the trigger's filter lets the sample through. */
  readonly matches: boolean;
  /** The steps of a dry run; empty for a real one, which goes on by itself. */
  readonly steps: readonly DryStep[];
}

/** `TestRuns`, to be injected. */
export const TEST_RUNS = Symbol('TestRuns');

interface Parts {
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly starter: RunStarter;
}

interface Trial {
  readonly automationId: number;
  readonly version: number;
  /** The payload of the trigger event. */
  readonly sample: JsonValue;
  /** Whether a run does what its steps say; otherwise nothing happens outside. */
  readonly isReal: boolean;
}

/** Tries automations with a sample event. */
export class TestRuns {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What came of the try, or why no run was started; undefined when there is no such version. */
  async try(
    { automationId, version, sample, isReal }: Trial,
    { actor, chainDepth, commandId, correlationId }: MessageContext,
  ): Promise<TestOutcome | Extract<RunStart, { kind: 'refused' }> | undefined> {
    const { clock, definitions, starter } = this.#parts;
    const definition = await definitions.load(automationId, version);
    if (!definition) return undefined;
    const now = (await clock.now()).toISOString();
    const matches = definition.trigger.matches(sample, now);
    if (!isReal) return { run_id: null, matches, steps: await inTurns(dryRun(definition, sample, now)) };
    const started = await starter.start({
      automationId,
      version,
      trigger: {
        type: definition.trigger.definition.type,
        // The same request, repeated, is the same run.
        eventId: `${trialPrefix}${commandId ?? correlationId}`,
        payload: sample,
      },
      chainDepth: depthBelow(chainDepth),
      correlationId,
      actor,
    });
    return started.kind === 'refused' ? started : { run_id: started.runId, matches, steps: [] };
  }
}

/** Collects all steps, with a turn of the event loop for others after each. */
async function inTurns<T>(steps: Iterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (const step of steps) {
    all.push(step);
    await setImmediate();
  }
  return all;
}
