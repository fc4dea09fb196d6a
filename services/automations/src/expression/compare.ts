import type { AutomationCondition } from '@parley/contracts';
import type { JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';
import { parseInstant } from './dates.ts';
import { value, wiringFault } from './fault.ts';
import { includesText } from './includes-text.ts';

type Operator = Extract<AutomationCondition, { right: unknown }>['op'];

/** How texts are read: whether case counts, and in which time zone dates without an offset are. */
interface Reading {
  readonly ignoreCase: boolean;
  readonly timezone: string;
}

/** Applies an operator to two values. Values that it can make no sense of are a fault, never a silent `false`. */
export function compare(
  op: Operator,
  left: JsonValue,
  right: JsonValue,
  { ignoreCase, timezone }: Reading,
): Resolved<boolean> {
  switch (op) {
    case 'eq':
      return value(isEqual(left, right, ignoreCase));
    case 'ne':
      return value(!isEqual(left, right, ignoreCase));
    case 'contains':
      return contains(op, left, right, ignoreCase);
    case 'not_contains':
      return negated(contains(op, left, right, ignoreCase));
    case 'in':
      return contains(op, right, left, ignoreCase);
    case 'not_in':
      return negated(contains(op, right, left, ignoreCase));
    case 'starts_with':
      return ofTexts(op, left, right, ignoreCase, (a, b) => a.startsWith(b));
    case 'not_starts_with':
      return ofTexts(op, left, right, ignoreCase, (a, b) => !a.startsWith(b));
    case 'ends_with':
      return ofTexts(op, left, right, ignoreCase, (a, b) => a.endsWith(b));
    case 'not_ends_with':
      return ofTexts(op, left, right, ignoreCase, (a, b) => !a.endsWith(b));
    case 'gt':
      return ofNumbers(op, left, right, (a, b) => a > b);
    case 'gte':
      return ofNumbers(op, left, right, (a, b) => a >= b);
    case 'lt':
      return ofNumbers(op, left, right, (a, b) => a < b);
    case 'lte':
      return ofNumbers(op, left, right, (a, b) => a <= b);
    case 'before':
      return ofDates(op, left, right, timezone, (a, b) => a < b);
    case 'after':
      return ofDates(op, left, right, timezone, (a, b) => a > b);
    default:
      return op satisfies never;
  }
}

/** Operators that read each value by itself; all others read a value by what the other one is. */
const readsAlone: ReadonlySet<Operator> = new Set(['gt', 'gte', 'lt', 'lte', 'before', 'after']);

/** Why an operator can make no sense of this value, whatever the other one is; undefined where it may. */
export function operandFault(op: Operator, of: JsonValue, timezone: string): string | undefined {
  const held = readsAlone.has(op) && compare(op, of, of, { ignoreCase: false, timezone });
  return held && !held.ok ? held.message : undefined;
}

const negated = (held: Resolved<boolean>): Resolved<boolean> => (held.ok ? value(!held.value) : held);

type Scalar = string | number | boolean | null;
const isScalar = (of: JsonValue): of is Scalar => typeof of !== 'object' || of === null;

const isEqual = (left: JsonValue, right: JsonValue, ignoreCase: boolean): boolean =>
  equalTo(right, ignoreCase)(left);

/**
 * A test for being equal to `wanted`, which is prepared once; of other values no more is looked at than `wanted` holds.
 * A number equals its text, because forms and CSV files know texts only.
 */
function equalTo(wanted: JsonValue, ignoreCase: boolean): (other: JsonValue) => boolean {
  if (wanted === null) return (other) => other === null;
  if (isScalar(wanted)) {
    const text = folded(String(wanted), ignoreCase);
    return (other) => isScalar(other) && other !== null && folded(String(other), ignoreCase) === text;
  }
  const children = Object.entries(wanted).map(
    ([key, child]) => [key, equalTo(child as JsonValue, ignoreCase)] as const,
  );
  return (other) => {
    if (isScalar(other) || Array.isArray(other) !== Array.isArray(wanted)) return false;
    const fields = new Map<string, JsonValue>(Object.entries(other));
    return (
      fields.size === children.length &&
      children.every(([key, isSame]) => {
        const child = fields.get(key);
        return child !== undefined && isSame(child);
      })
    );
  };
}

const folded = (text: string, ignoreCase: boolean): string => (ignoreCase ? text.toLowerCase() : text);

function contains(op: Operator, whole: JsonValue, part: JsonValue, ignoreCase: boolean): Resolved<boolean> {
  if (Array.isArray(whole)) return value((whole as readonly JsonValue[]).some(equalTo(part, ignoreCase)));
  return ofTexts(op, whole, part, ignoreCase, includesText);
}

function ofTexts(
  op: Operator,
  left: JsonValue,
  right: JsonValue,
  ignoreCase: boolean,
  holds: (a: string, b: string) => boolean,
): Resolved<boolean> {
  if (!isScalar(left) || !isScalar(right)) return mismatch(op, 'texts');
  return value(holds(folded(String(left ?? ''), ignoreCase), folded(String(right ?? ''), ignoreCase)));
}

function ofNumbers(
  op: Operator,
  left: JsonValue,
  right: JsonValue,
  holds: (a: number, b: number) => boolean,
): Resolved<boolean> {
  const [a, b] = [numberOf(left), numberOf(right)];
  return a === undefined || b === undefined ? mismatch(op, 'numbers') : value(holds(a, b));
}

function numberOf(of: JsonValue): number | undefined {
  if (typeof of === 'number') return of;
  if (typeof of !== 'string' || of.trim() === '' || of.length > 400) return undefined;
  const number = Number(of);
  return Number.isFinite(number) ? number : undefined;
}

function ofDates(
  op: Operator,
  left: JsonValue,
  right: JsonValue,
  timezone: string,
  holds: (a: number, b: number) => boolean,
): Resolved<boolean> {
  const [a, b] = [parseInstant(left, timezone), parseInstant(right, timezone)];
  return a && b ? value(holds(a.getTime(), b.getTime())) : mismatch(op, 'ISO 8601 dates');
}

const mismatch = (op: Operator, wanted: string) =>
  wiringFault('TYPE_MISMATCH', `The operator ${op} compares ${wanted}.`);
