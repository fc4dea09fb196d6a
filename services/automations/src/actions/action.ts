import {
  type AutomationActionInput,
  type AutomationActionType,
  automationActionInputs,
} from '@parley/contracts';
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

/** What an action knows of the attempt that it is carried out for. */
export interface ActionContext {
  readonly accountId: number;
  readonly automationId: number;
  readonly runId: string;
  /** Correlation id of the run, which is that of its trigger. */
  readonly correlationId: string;
  /** Id of the event by which this attempt began. Unlike the effect key, each attempt has its own. */
  readonly causationId: string;
  readonly chainDepth: number;
  /** A UUID: the same at every attempt, takeover and retry of this step in this run. */
  readonly effectKey: string;
  /** How many retries of the step came after nothing but definite failures. */
  readonly freshStarts: number;
  /** Null when the step names none. */
  readonly connection: Connection | null;
  /** The platform clock at the step's start, ISO 8601. */
  readonly now: string;
  /** Aborted when the attempt has taken too long. */
  readonly signal: AbortSignal;
}

/** How an attempt ended. */
export type ActionOutcome =
  | {
      readonly ok: true;
      readonly output: JsonValue;
      /** The provider's id of what was done. */
      readonly providerRef?: string;
    }
  | ({
      readonly ok: false;
      /** Whether another attempt may help; how many there are is for the step to say. */
      readonly transient: boolean;
      /** Whether it is certain that the action had no effect. */
      readonly definite: boolean;
      /** In how many seconds a limit admits again: waiting for that costs no attempt. */
      readonly retryAfterSeconds?: number;
      /**
       * With `retryAfterSeconds`: waiting costs an attempt all the same, because a stranger set the limit and may never
       * admit anybody.
       */
      readonly costsAttempt?: boolean;
      /**
       * For how long the step is tried again while it fails with this code and no other, in milliseconds; for ever when
       * absent.
       */
      readonly patienceMs?: number;
    } & StepFault);

/** One type of step that does something. */
export interface ActionModule {
  readonly type: string;
  readonly effect: ActionEffect;
  /** Schema of the resolved input. */
  readonly input: z.ZodType;
  /** The module for a step with this unresolved input, where the module depends on it. */
  readonly forSource?: (source: JsonValue) => ActionModule;
  /**
   * Faults of an unresolved input that remain whatever its templates yield: sentences by field. Told when a definition is
   * checked; saved ones are worked out all the same.
   */
  readonly faultsOf?: (source: JsonValue) => readonly (readonly [field: string, message: string])[];
  /** `input` is what the schema parsed. A rejection counts as a transient failure of unknown outcome. */
  readonly run: (input: JsonValue, context: ActionContext) => Promise<ActionOutcome>;
  /** The output that a dry run goes on with, in place of doing anything. */
  readonly dryRun: (input: JsonValue) => JsonValue;
}

const inputs: { readonly [Type in AutomationActionType]: z.ZodType<AutomationActionInput<Type>> } =
  automationActionInputs;

interface TypedAction<Type extends AutomationActionType>
  extends Omit<ActionModule, 'type' | 'input' | 'run' | 'dryRun'> {
  readonly type: Type;
  readonly run: (input: AutomationActionInput<Type>, context: ActionContext) => Promise<ActionOutcome>;
  readonly dryRun: (input: AutomationActionInput<Type>) => JsonValue;
}

/**
 * An action whose input is what the contracts say of its type. The input is parsed again before use, because it comes
 * back from the payload store as JSON.
 */
export function defineAction<Type extends AutomationActionType>(action: TypedAction<Type>): ActionModule {
  const input = inputs[action.type];
  return {
    ...action,
    input,
    run: (given, context) => action.run(input.parse(given), context),
    dryRun: (given) => action.dryRun(input.parse(given)),
  };
}
