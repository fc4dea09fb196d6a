import { createHash } from 'node:crypto';
import type { Window } from '@parley/opening-hours';
import { z } from 'zod';
import type { ActionEffect, ActionModule } from '../actions/action.ts';
import type { CompiledDefinition, CompiledStep, RunSettings } from '../definition/compiled.ts';

/** A step as tests write it; `fault` is what resolving its input comes to. */
export type StepSpec =
  | {
      readonly kind: 'action';
      readonly id: string;
      readonly effect: ActionEffect;
      readonly attempts?: number;
      readonly onUnknown?: 'fail' | 'repeat';
      readonly isBroken?: boolean;
      /** Working out its input fails in a way that nobody has thought of. */
      readonly isAbsurd?: boolean;
      readonly usesConnection?: boolean;
    }
  | {
      readonly kind: 'delay';
      readonly id: string;
      readonly for: string;
      readonly window?: Window;
    }
  | {
      readonly kind: 'branch';
      readonly id: string;
      readonly takes: 0 | 1 | 2;
      readonly steps: readonly StepSpec[];
      readonly otherwise: readonly StepSpec[];
    }
  | { readonly kind: 'stop'; readonly id: string };

export interface DefinitionSpec {
  readonly version: number;
  readonly steps: readonly StepSpec[];
  readonly settings?: Partial<Omit<RunSettings, 'retry'>> & {
    readonly retry?: Partial<RunSettings['retry']>;
  };
}

const day = 86_400_000;

/** A definition with actions that `act` carries out. */
export function compiledDefinition(
  automationId: number,
  { version, steps, settings }: DefinitionSpec,
  act: ActionModule['run'],
): CompiledDefinition {
  const actions = new Map<ActionEffect, ActionModule>(
    (['pure', 'local', 'keyed', 'unkeyed'] as const).map((effect) => [
      effect,
      { type: `test.${effect}`, effect, input: z.unknown(), run: act, dryRun: () => ({ dry: true }) },
    ]),
  );
  const compile = (spec: StepSpec, prefix: string): CompiledStep => {
    const path = prefix + spec.id;
    const base = { id: spec.id, name: spec.id, path };
    switch (spec.kind) {
      case 'action': {
        const action = actions.get(spec.effect);
        if (!action) throw new Error('There is an action for every effect.');
        return {
          ...base,
          type: action.type,
          kind: 'action',
          action,
          connection: spec.usesConnection ? 'crm' : null,
          attempts: spec.attempts ?? 2,
          onUnknown: spec.onUnknown ?? 'fail',
          resolve: ({ trigger, steps: done }) => {
            if (spec.isAbsurd) throw new RangeError('Maximum call stack size exceeded');
            return spec.isBroken
              ? { ok: false, code: 'MAPPING_UNRESOLVED', class: 'wiring_error', message: 'It is broken.' }
              : { ok: true, value: { step: spec.id, trigger, seen: Object.keys(done).sort() } };
          },
        };
      }
      case 'delay':
        return {
          ...base,
          type: 'delay',
          kind: 'delay',
          window: spec.window ?? null,
          resolve: () => ({ ok: true, value: { for: spec.for } }),
        };
      case 'branch':
        return {
          ...base,
          type: 'branch',
          kind: 'branch',
          branches: [
            {
              id: 'yes',
              when: () =>
                spec.takes === 2
                  ? { ok: false, code: 'TYPE_MISMATCH', class: 'wiring_error', message: 'Not a number.' }
                  : { ok: true, value: spec.takes === 0 },
              steps: spec.steps.map((step) => compile(step, `${path}/yes/`)),
            },
          ],
          otherwise: spec.otherwise.map((step) => compile(step, `${path}/else/`)),
        };
      case 'stop':
        return { ...base, type: 'stop', kind: 'stop' };
      default:
        return spec satisfies never;
    }
  };
  return {
    automationId,
    version,
    hash: hashOf(steps),
    timezone: 'Europe/Berlin',
    vars: {},
    connections: {},
    trigger: { definition: { type: 'webhook.inbound' }, matches: () => true },
    settings: {
      maxConcurrentRuns: settings?.maxConcurrentRuns ?? 50,
      retry: { maxAgeMs: 30 * day, afterDelay: 'allow', useRepairedVersion: true, ...settings?.retry },
      onDeactivate: settings?.onDeactivate ?? 'finish',
    },
    steps: steps.map((step) => compile(step, '')),
    prefixHashOf: (path) => prefixHash(steps, path),
  };
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Of everything that comes before the step, in the order in which it is written. */
function prefixHash(steps: readonly StepSpec[], path: string): string | undefined {
  const before: unknown[] = [];
  const visit = (list: readonly StepSpec[], prefix: string): boolean =>
    list.some((step) => {
      if (prefix + step.id === path) return true;
      if (step.kind !== 'branch') {
        before.push([prefix, step]);
        return false;
      }
      before.push([prefix, step.id, step.takes]);
      return (
        visit(step.steps, `${prefix}${step.id}/yes/`) || visit(step.otherwise, `${prefix}${step.id}/else/`)
      );
    });
  return visit(steps, '') ? hashOf(before) : undefined;
}
