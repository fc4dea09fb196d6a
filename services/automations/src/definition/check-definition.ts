import {
  type AutomationDefinition,
  automationActionTypes,
  automationDefinition,
  automationLimits,
  automationTriggerTypes,
  collectFaults,
  fieldErrors,
  type Rejection,
  type RejectionCode,
  reject,
} from '@parley/contracts';
import type { ActionModules } from '../actions/action-modules.ts';
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
  const shape = {
    ...(filter !== undefined && conditionFaults(filter, 'trigger.filter')),
    ...shapeFaults(steps, 'steps', 0),
  };
  if (Object.keys(shape).length > 0) return refused('invalid_definition', collected(shape));
  if (Buffer.byteLength(JSON.stringify(flow)) > automationLimits.bytes)
    return refused('invalid_definition', { [field]: ['The definition is larger than 256 KB.'] });
  const parsed = automationDefinition.safeParse(flow);
  if (!parsed.success) return refused('invalid_definition', fieldErrors(parsed.error, flow));
  const { faults } = compileDefinition(parsed.data, { automationId: 0, version: 0, actions });
  if (faults.length === 0) return { kind: 'ok', definition: parsed.data };
  return refused(
    'invalid_definition',
    collectFaults(faults.map(({ path, message }) => ({ field: path, message }))),
  );
}

function refused(
  code: Extract<RejectionCode, 'invalid_definition' | 'no_steps' | 'unsupported_trigger'>,
  faults: Readonly<Record<string, readonly string[]>>,
): CheckedDefinition {
  const fields = Object.fromEntries(
    Object.entries(faults).map(([path, messages]) => [path === field ? path : `${field}.${path}`, messages]),
  );
  return { kind: 'rejected', rejection: reject(code, { fields }) };
}

/** The first of them, and no longer than a reader needs. */
const collected = (faults: Readonly<Record<string, readonly string[]>>) =>
  collectFaults(
    Object.entries(faults).flatMap(([path, messages]) =>
      messages.map((message) => ({ field: path, message })),
    ),
  );

const stepTypes: readonly string[] = [...automationActionTypes, 'delay', 'branch', 'stop'];

/**
 * Faults that are told before the schema is asked, which would call the whole step or condition invalid. They also bound the
 * nesting, so that nothing deep is walked afterwards.
 */
function shapeFaults(steps: readonly unknown[], at: string, depth: number): Record<string, string[]> {
  if (depth > automationLimits.depth)
    return { [at]: [`Branches must not be nested more than ${automationLimits.depth} deep.`] };
  const faults: Record<string, string[]> = {};
  for (const [index, step] of steps.slice(0, automationLimits.steps + 1).entries()) {
    const { type, branches, else: otherwise } = asRecord(step);
    const here = `${at}.${index}`;
    if (typeof type === 'string' && !stepTypes.includes(type))
      faults[`${here}.type`] = [`There is no such step; there are ${stepTypes.join(', ')}.`];
    if (Array.isArray(branches))
      for (const [place, branch] of branches.slice(0, 20).entries()) {
        const { steps: inner, when } = asRecord(branch);
        const there = `${here}.branches.${place}`;
        if (when !== undefined) Object.assign(faults, conditionFaults(when, `${there}.when`));
        if (Array.isArray(inner)) Object.assign(faults, shapeFaults(inner, `${there}.steps`, depth + 1));
      }
    if (Array.isArray(otherwise)) Object.assign(faults, shapeFaults(otherwise, `${here}.else`, depth + 1));
  }
  return faults;
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
