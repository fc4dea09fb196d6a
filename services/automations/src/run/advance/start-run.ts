import type { RunEvent } from '@parley/contracts';
import type { Actor } from '@parley/event-store';
import type { CompiledDefinition } from '../../definition/compiled.ts';
import type { JsonValue } from '../../json.ts';
import type { Refusal } from '../../triggers/refused-triggers.ts';
import { type PayloadRef, runIdOf } from '../run.ts';

/** A wish to start a run. The same event of the same automation starts one run only, however often it is told. */
export interface StartRun {
  readonly automationId: number;
  /** The version whose trigger the event matched: the run follows it, whatever was saved since. */
  readonly version: number;
  readonly trigger: {
    readonly type: string;
    /** Any text that is unique among the events that trigger this automation. */
    readonly eventId: string;
    readonly payload: JsonValue;
  };
  /** Chain depth: 0, or one more than that of the run that caused the event. */
  readonly chainDepth: number;
  readonly correlationId: string;
  /** Who asked for the run; the automation itself when absent. */
  readonly actor?: Actor;
}

/** An event that starts no run. */
export type NotStarted = Pick<StartRun, 'actor' | 'automationId' | 'correlationId'> & {
  readonly trigger: Pick<StartRun['trigger'], 'type' | 'eventId'>;
};

/** What became of a trigger event; `known`: it had started this run before. */
export type RunStart =
  | { readonly kind: 'started' | 'known'; readonly runId: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'not_found' | 'inactive' | 'chain_too_deep' | 'payload_too_large';
    };

/** `RunStarter`, to be injected. */
export const RUN_STARTER = Symbol('RunStarter');

/** Starts a run for a trigger event, or says why it starts none. */
export interface RunStarter {
  start(request: StartRun): Promise<RunStart>;
  /** Notes why an event starts none, where the automation is on. */
  refuse(event: NotStarted, reason: Refusal['reason']): Promise<void>;
}

/** What the first event of a run needs beside the request. */
export interface StartFacts {
  readonly definition: CompiledDefinition;
  readonly trigger: PayloadRef;
  /** ISO 8601. */
  readonly at: string;
}

/** The first event of a run. */
export const runStarted = (
  { automationId, trigger, chainDepth }: StartRun,
  { definition, trigger: payload, at }: StartFacts,
): RunEvent => ({
  type: 'RunStarted',
  data: {
    run_id: runIdOf(automationId, trigger.eventId),
    automation_id: automationId,
    version: definition.version,
    definition_hash: definition.hash,
    trigger: {
      type: trigger.type,
      event_id: trigger.eventId,
      payload_ref: payload.ref,
      payload_hash: payload.hash,
      payload_bytes: payload.bytes,
    },
    chain_depth: chainDepth,
    settings: {
      max_concurrent_runs: definition.settings.maxConcurrentRuns,
      retry_max_age_ms: definition.settings.retry.maxAgeMs,
      retry_after_delay: definition.settings.retry.afterDelay,
      use_repaired_version: definition.settings.retry.useRepairedVersion,
    },
    at,
  },
});
