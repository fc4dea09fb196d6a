import {
  type AutomationDefinition,
  automationActionTypes,
  automationDefinition,
  automationLimits,
  automationTriggerTypes,
  collectFaults,
  type FieldErrors,
  fieldErrors,
  type Rejection,
  type RejectionCode,
  reject,
} from '@parley/contracts';
import { z } from 'zod';
import type { ActionModules } from '../actions/action-modules.ts';
import type { DefinitionFault } from '../expression/fault.ts';
import { conditionFaults } from './check-condition.ts';
import { compileDefinition } from './compile-definition.ts';

/** A definition that can be run, or everything that is wrong with it, field by field. */
export type CheckedDefinition =
  | { readonly kind: 'ok'; readonly definition: AutomationDefinition }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/** Checks a definition by itself: whatever can be known without a run is told before there is one. */
export function checkDefinition(flow: unknown, actions: ActionModules): CheckedDefinition {
  const { trigger, steps } = asRecord(flow);
  if (!Array.isArray(steps) || steps.length === 0)
    return refuse('no_steps', [{ path: 'steps', message: 'An automation needs at least one step.' }]);
  const { type, filter } = asRecord(trigger);
  if (typeof type === 'string' && !automationTriggerTypes.some((known) => known === type)) {
    const message = `There is no such trigger; there are ${automationTriggerTypes.join(', ')}.`;
    return refuse('unsupported_trigger', [{ path: 'trigger.type', message }]);
  }
  const shape = [...shapeFaults(filter, steps)];
  if (shape.length > 0) return refuse('invalid_definition', shape);
  if (Buffer.byteLength(JSON.stringify(flow)) > automationLimits.bytes)
    return refuse('invalid_definition', [{ path: '', message: 'The definition is larger than 256 KB.' }]);
  const body = { flow };
  const parsed = bodyWithDefinition.safeParse(body);
  if (!parsed.success) return refuseFields('invalid_definition', fieldErrors(parsed.error, body));
  const definition = parsed.data.flow;
  const { faults } = compileDefinition(definition, { automationId: 0, version: 0, actions });
  return faults.length === 0 ? { kind: 'ok', definition } : refuse('invalid_definition', faults);
}

/** The part of a request's body that holds the definition: the names of faulty fields begin with `flow`. */
const bodyWithDefinition = z.object({ flow: automationDefinition });

type DefinitionCode = Extract<RejectionCode, 'invalid_definition' | 'no_steps' | 'unsupported_trigger'>;

/** Refuses a definition for its faults, by field of the request's body. */
export const refuse = (code: DefinitionCode, faults: Iterable<DefinitionFault>): CheckedDefinition =>
  refuseFields(
    code,
    collectFaults(
      Iterator.from(faults).map(({ path, message }) => ({ field: path ? `flow.${path}` : 'flow', message })),
    ),
  );

const refuseFields = (code: DefinitionCode, fields: FieldErrors): CheckedDefinition => ({
  kind: 'rejected',
  rejection: reject(code, { fields }),
});

const stepTypes: readonly string[] = [...automationActionTypes, 'delay', 'branch', 'stop'];

/**
 * Faults that are told before the schema is asked, which would call the whole step or condition invalid. They also bound the
 * nesting, so that nothing deep is walked afterwards.
 */
function* shapeFaults(filter: unknown, steps: readonly unknown[]): Iterable<DefinitionFault> {
  if (filter !== undefined) yield* conditionFaults(filter, 'trigger.filter');
  yield* stepFaults(steps, 'steps', 0);
}

function* stepFaults(steps: readonly unknown[], path: string, depth: number): Iterable<DefinitionFault> {
  if (depth > automationLimits.depth) {
    yield { path, message: `Branches must not be nested more than ${automationLimits.depth} deep.` };
    return;
  }
  for (const [index, step] of steps.slice(0, automationLimits.steps + 1).entries()) {
    const { type, branches, else: otherwise } = asRecord(step);
    const here = `${path}.${index}`;
    if (typeof type === 'string' && !stepTypes.includes(type))
      yield { path: `${here}.type`, message: `There is no such step; there are ${stepTypes.join(', ')}.` };
    if (Array.isArray(branches))
      for (const [place, branch] of branches.slice(0, 20).entries())
        yield* branchFaults(branch, `${here}.branches.${place}`, depth);
    if (Array.isArray(otherwise)) yield* stepFaults(otherwise, `${here}.else`, depth + 1);
  }
}

function* branchFaults(branch: unknown, path: string, depth: number): Iterable<DefinitionFault> {
  const { steps, when } = asRecord(branch);
  if (when !== undefined) yield* conditionFaults(when, `${path}.when`);
  if (Array.isArray(steps)) yield* stepFaults(steps, `${path}.steps`, depth + 1);
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
