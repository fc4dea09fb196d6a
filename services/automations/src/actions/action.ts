import type { z } from 'zod';
import type { JsonValue } from '../json.ts';
import type { StepFault } from '../run/step-class.ts';

/**
 * How often an action may take effect when its process dies on the way.
 * - `pure`: it has none
 * - `local`: a command to a service of ours, effective once for its effect key
 * - `keyed`: a provider is reached through a service of ours that keeps the effect key
 * - `unkeyed`: the outside world directly; after a crash nobody knows whether it happened
 */
export type ActionEffect = 'pure' | 'local' | 'keyed' | 'unkeyed';

/** A connection as it is at this moment; `secret` parts are opened for the action alone. */
export interface Connection {
  readonly kind: string;
  readonly id: string;
  /** What the action of that kind needs, for example a sender's id or a bearer token. */
  readonly value: Readonly<Record<string, JsonValue>>;
}

export interface ActionContext {
  readonly accountId: number;
  readonly automationId: number;
  readonly runId: string;
  /** The run's: of what triggered it. */
  readonly correlationId: string;
  /** The event by which this attempt began. Other than the effect key it is another one at the next attempt. */
  readonly causationId: string;
  readonly chainDepth: number;
  /** A UUID: the same at every attempt, takeover and retry of this step in this run. */
  readonly effectKey: string;
  /** How many retries came after nothing but definite failures. */
  readonly freshStarts: number;
  /** Present when the step names one. */
  readonly connection: Connection | null;
  /** The platform clock at the step's start, ISO 8601. */
  readonly now: string;
  /** Aborted when the attempt has taken too long. */
  readonly signal: AbortSignal;
}

export type ActionOutcome =
  | {
      readonly ok: true;
      readonly output: JsonValue;
      /** The provider's id of what was done. */
      readonly providerRef?: string;
    }
  | ({
      readonly ok: false;
      /** Worth another attempt, as far as the step allows. */
      readonly transient: boolean;
      /** Certain that nothing happened. */
      readonly definite: boolean;
      /** A limit that says when to come back: it costs no attempt. */
      readonly retryAfterSeconds?: number;
      /** It costs an attempt after all: the limit is that of a stranger, who may never admit anybody. */
      readonly costsAttempt?: boolean;
      /** For so long since it failed so first, and not otherwise since, the step is tried again; for ever when absent. */
      readonly patienceMs?: number;
    } & StepFault);

/** One kind of step that does something. */
export interface ActionModule {
  readonly type: string;
  readonly effect: ActionEffect;
  /** Of the resolved input. */
  readonly input: z.ZodType;
  /** The module for a step whose input is written so. */
  readonly forSource?: (source: JsonValue) => ActionModule;
  /** What no run can do anything with, whatever the templates of an input yield: sentences by field. */
  readonly faultsOf?: (source: JsonValue) => readonly (readonly [field: string, message: string])[];
  /** `input` is what the schema made of it. What it throws counts as transient and of unknown outcome. */
  readonly run: (input: JsonValue, context: ActionContext) => Promise<ActionOutcome>;
  /** What a run without effects goes on with. */
  readonly dryRun: (input: JsonValue) => JsonValue;
}

interface TypedAction<Input extends z.ZodType> extends Omit<ActionModule, 'run' | 'dryRun'> {
  readonly input: Input;
  readonly run: (input: z.output<Input>, context: ActionContext) => Promise<ActionOutcome>;
  readonly dryRun: (input: z.output<Input>) => JsonValue;
}

/** Reads the input back from the payload store through its own schema. */
export const defineAction = <Input extends z.ZodType>(action: TypedAction<Input>): ActionModule => ({
  ...action,
  run: (input, context) => action.run(action.input.parse(input), context),
  dryRun: (input) => action.dryRun(action.input.parse(input)),
});
