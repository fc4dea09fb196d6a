import type { AutomationDefinition, AutomationTrigger } from '@parley/contracts';
import type { Window } from '@parley/opening-hours';
import type { ActionModule } from '../actions/action.ts';
import type { Effort } from '../expression/effort.ts';
import type { JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';

/** What templates and conditions can see; own properties only. */
export interface Scope {
  readonly trigger: JsonValue;
  /** Outputs by step id: the steps that succeeded on the path taken. */
  readonly steps: Readonly<Record<string, { readonly output: JsonValue }>>;
  readonly vars: JsonValue;
  readonly run: JsonValue;
  /** ISO 8601, recorded at the step's start. */
  readonly now: string;
  /** How much may still be looked at. */
  readonly effort: Effort;
}

interface StepBase {
  readonly id: string;
  /** For people: the id where the definition gives none. */
  readonly name: string;
  /** Unique in the definition and stable over edits of other steps, for example `chk/de/send`. */
  readonly path: string;
  /** Type of the step as the definition names it, for example `http.request` or `delay`. */
  readonly type: string;
}

/** A step that does something. */
export interface ActionStep extends StepBase {
  readonly kind: 'action';
  readonly action: ActionModule;
  /** The alias of its connection; null when it names none. */
  readonly connection: string | null;
  /** How many attempts it may have in all, at least 1. */
  readonly attempts: number;
  /** What becomes of an `unkeyed` action whose outcome nobody knows: its run fails, or it is done again. */
  readonly onUnknown: 'fail' | 'repeat';
  /** Works out the input, and checks it against the action's schema. */
  readonly resolve: (scope: Scope) => Resolved<JsonValue>;
}

/** A step that has the run wait. */
export interface DelayStep extends StepBase {
  readonly kind: 'delay';
  /** When the delay is over: an ISO 8601 duration, or a point in time. */
  readonly resolve: (scope: Scope) => Resolved<{ readonly for: string } | { readonly until: string }>;
  readonly window: Window | null;
}

/** A step that takes one of several ways. */
export interface BranchStep extends StepBase {
  readonly kind: 'branch';
  /** The first branch that holds is taken. */
  readonly branches: readonly {
    readonly id: string;
    readonly when: (scope: Scope) => Resolved<boolean>;
    readonly steps: readonly CompiledStep[];
  }[];
  /** Taken when no branch holds. */
  readonly otherwise: readonly CompiledStep[];
}

/** Ends the run as succeeded. */
interface StopStep extends StepBase {
  readonly kind: 'stop';
}

export type CompiledStep = ActionStep | DelayStep | BranchStep | StopStep;

/** The settings of an automation's runs. */
export interface RunSettings {
  readonly maxConcurrentRuns: number;
  readonly retry: {
    readonly maxAgeMs: number;
    readonly afterDelay: 'allow' | 'refuse';
    readonly useRepairedVersion: boolean;
  };
  /** What becomes of runs under way when the automation is turned off. */
  readonly onDeactivate: 'finish' | 'stop';
}

/** What an event has to match to start a run. */
export interface CompiledTrigger {
  readonly definition: AutomationTrigger;
  /** Whether the filter lets it through; `now` is ISO 8601. */
  readonly matches: (payload: JsonValue, now: string) => boolean;
}

/** A version of an automation, ready to run. Immutable, kept in memory. */
export interface CompiledDefinition {
  readonly automationId: number;
  readonly version: number;
  readonly hash: string;
  /** IANA name. */
  readonly timezone: string;
  readonly vars: JsonValue;
  readonly settings: RunSettings;
  /** By alias. */
  readonly connections: NonNullable<AutomationDefinition['connections']>;
  readonly trigger: CompiledTrigger;
  readonly steps: readonly CompiledStep[];
  /** Hash of everything that runs before the step, and of how it is reached; undefined for a path that is not there. */
  readonly prefixHashOf: (path: string) => string | undefined;
}
