import type { AutomationCondition } from '@parley/contracts';
import type { Scope } from '../definition/compiled.ts';
import type { JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';
import { compare, operandFault } from './compare.ts';
import { value } from './fault.ts';
import { isBlank } from './filters.ts';
import { compileTemplate, hasTemplate, type Reference } from './template.ts';

/** A compiled condition, and the paths that it reads. */
export interface Condition {
  readonly references: readonly Reference[];
  /** Whether the condition holds. Deterministic, and never throws: what cannot be worked out is a fault. */
  readonly holds: (scope: Scope) => Resolved<boolean>;
}

interface Options {
  readonly timezone: string;
  readonly at: string;
  readonly onFault: (path: string, message: string) => void;
}

/** Operators that ask whether something is there: for them a missing value is no fault, and needs no `default`. */
const asksForPresence: ReadonlySet<string> = new Set(['exists', 'not_exists', 'is_empty', 'is_not_empty']);

/** Compiles a condition of a branch or a filter; faults are told with their place. */
export function compileCondition(source: AutomationCondition, options: Options): Condition {
  if ('all' in source) return allOf(source.all, options, 'all');
  if ('any' in source) return allOf(source.any, options, 'any');
  if ('not' in source) {
    const { references, holds } = compileCondition(source.not, { ...options, at: `${options.at}.not` });
    return {
      references,
      holds: (scope) => {
        const held = holds(scope);
        return held.ok ? value(!held.value) : held;
      },
    };
  }
  return 'right' in source ? comparison(source, options) : question(source, options);
}

/** Combines conditions with `all` or `any`; evaluation stops at the first that decides. */
function allOf(sources: readonly AutomationCondition[], options: Options, kind: 'all' | 'any'): Condition {
  const conditions = sources.map((source, index) =>
    compileCondition(source, { ...options, at: `${options.at}.${kind}.${index}` }),
  );
  const deciding = kind === 'any';
  return {
    references: conditions.flatMap(({ references }) => references),
    holds: (scope) => {
      for (const { holds } of conditions) {
        const held = holds(scope);
        if (!held.ok || held.value === deciding) return held;
      }
      return value(!deciding);
    },
  };
}

type Binary = Extract<AutomationCondition, { right: unknown }>;
type Unary = Exclude<Extract<AutomationCondition, { op: string }>, Binary>;

function comparison(
  { op, left, right, ignore_case: ignoreCase = false }: Binary,
  options: Options,
): Condition {
  const { at, onFault, timezone } = options;
  const reading = { ignoreCase, timezone };
  for (const [side, constant] of Object.entries({ left, right })) {
    const fault = hasTemplate(constant) ? undefined : operandFault(op, constant, timezone);
    if (fault) onFault(`${at}.${side}`, fault);
  }
  const operands = [operand(left, options, 'left'), operand(right, options, 'right')] as const;
  return {
    references: operands.flatMap(({ references }) => references),
    holds: (scope) => {
      const [a, b] = [operands[0].resolve(scope), operands[1].resolve(scope)];
      if (!a.ok) return a;
      return b.ok ? compare(op, a.value, b.value, reading) : b;
    },
  };
}

function question({ op, left }: Unary, options: Options): Condition {
  const { references, resolve } = operand(left, options, 'left');
  return {
    references: asksForPresence.has(op)
      ? references.map((reference) => ({ ...reference, hasDefault: true }))
      : references,
    holds: (scope) => {
      const resolved = resolve(scope);
      if (!resolved.ok && !(asksForPresence.has(op) && resolved.code === 'MAPPING_UNRESOLVED'))
        return resolved;
      return value(answer(op, resolved.ok ? resolved.value : undefined));
    },
  };
}

function answer(op: Unary['op'], of: JsonValue | undefined): boolean {
  switch (op) {
    case 'exists':
      return of !== undefined && of !== null;
    case 'not_exists':
      return of === undefined || of === null;
    case 'is_empty':
      return isEmpty(of);
    case 'is_not_empty':
      return !isEmpty(of);
    case 'is_true':
      return of === true || of === 'true' || of === 1;
    case 'is_false':
      return of === false || of === 'false' || of === 0;
    default:
      return op satisfies never;
  }
}

function isEmpty(of: JsonValue | undefined): boolean {
  if (isBlank(of)) return true;
  return typeof of === 'object' && Object.keys(of).length === 0;
}

const operand = (source: JsonValue, { timezone, at, onFault }: Options, side: 'left' | 'right') =>
  compileTemplate(source, { timezone, at: `${at}.${side}`, onFault });
