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
import type { ActionModules } from '../actions/action-modules.ts';
import type { DefinitionFault } from '../expression/fault.ts';
import { conditionFaults } from './check-condition.ts';
import { compileDefinition } from './compile-definition.ts';

/** A definition that can be run, or everything that is wrong with it, field by field. */
export type CheckedDefinition =
  | { readonly kind: 'ok'; readonly definition: AutomationDefinition }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/** The field of a request's body that holds the definition; the names of its faulty fields begin with it. */
const field = 'flow';

/** Checks a definition by itself: whatever can be known without a run is told before there is one. */
export function checkDefinition(flow: unknown, actions: ActionModules): CheckedDefinition {
  const { trigger, steps } = asRecord(flow);
  if (!Array.isArray(steps) || steps.length === 0)
    return refused('no_steps', { steps: ['An automation needs at least one step.'] });
  const { type, filter } = asRecord(trigger);
  if (typeof type === 'string' && !automationTriggerTypes.some((known) => known === type))
    return refused('unsupported_trigger', {
      'trigger.type': [`There is no such trigger; there are ${automationTriggerTypes.join(', ')}.`],
    });
  const shape = asFields(shapeFaults(filter, steps));
  if (Object.keys(shape).length > 0) return refused('invalid_definition', shape);
  if (Buffer.byteLength(JSON.stringify(flow)) > automationLimits.bytes)
    return refused('invalid_definition', { [field]: ['The definition is larger than 256 KB.'] });
  const parsed = automationDefinition.safeParse(flow);
  if (!parsed.success) return refused('invalid_definition', fieldErrors(parsed.error, flow));
  const { faults } = compileDefinition(parsed.data, { automationId: 0, version: 0, actions });
  if (faults.length === 0) return { kind: 'ok', definition: parsed.data };
  return refused('invalid_definition', asFields(faults));
}

function refused(
  code: Extract<RejectionCode, 'invalid_definition' | 'no_steps' | 'unsupported_trigger'>,
  faults: FieldErrors,
): CheckedDefinition {
  const fields = Object.fromEntries(
    Object.entries(faults).map(([path, messages]) => [path === field ? path : `${field}.${path}`, messages]),
  );
  return { kind: 'rejected', rejection: reject(code, { fields }) };
}

const asFields = (faults: Iterable<DefinitionFault>): FieldErrors =>
  collectFaults(Iterator.from(faults).map(({ path, message }) => ({ field: path, message })));

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
