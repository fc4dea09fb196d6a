import type { Scope } from '../definition/compiled.ts';
import { isDeeperThan, type JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';
import { value, wiringFault } from './fault.ts';
import { textOf } from './filters.ts';
import { argumentFaults, parseToken, resolveToken, type Token } from './token.ts';

/** Most characters of all texts of an input together; a step's input takes no more (design: limits). */
const maxCharacters = 256 * 1024;
/**
 * Deepest nesting of an input: far more than any definition around any event needs, and a bound for steps that wrap the
 * output of the step before.
 */
const maxDepth = 128;

/** A path that a template reads, so that it can be checked before any run. */
export interface Reference {
  readonly path: Token['path'];
  /** Whether a `default` takes effect when nothing is there. */
  readonly hasDefault: boolean;
}

/** A compiled template. */
export interface Template {
  readonly references: readonly Reference[];
  /** Deterministic; reads nothing but the scope, and throws nothing. */
  readonly resolve: (scope: Scope) => Resolved<JsonValue>;
}

interface Budget {
  left: number;
}
type Part = (scope: Scope, budget: Budget) => Resolved<JsonValue>;

interface Compilation {
  readonly references: Reference[];
  readonly onFault: (path: string, message: string) => void;
  readonly timezone: string;
}

export const isTemplate = (text: string): boolean => text.includes('{{');

/**
 * Compiles any JSON value whose texts may hold `{{path | filter}}`. A text that is exactly one token becomes the
 * token's value with its type; in longer texts values are spelled out. Faults are told with their place.
 */
export function compileTemplate(
  source: JsonValue,
  options: { readonly timezone: string; readonly at: string; readonly onFault: Compilation['onFault'] },
): Template {
  const references: Reference[] = [];
  const part = compileValue(source, options.at, { ...options, references });
  return {
    references,
    resolve: (scope) => {
      const resolved = part(scope, { left: maxCharacters });
      return resolved.ok && isDeeperThan(resolved.value, maxDepth)
        ? wiringFault('RESULT_TOO_LARGE', `The input is nested deeper than ${maxDepth} levels.`)
        : resolved;
    },
  };
}

export function hasTemplate(source: JsonValue): boolean {
  if (typeof source === 'string') return isTemplate(source);
  if (typeof source !== 'object' || source === null) return false;
  return Object.values(source).some((child: JsonValue) => hasTemplate(child));
}

function compileValue(source: JsonValue, at: string, to: Compilation): Part {
  if (typeof source === 'string') return compileText(source, at, to);
  if (typeof source !== 'object' || source === null) return () => value(source);
  if (Array.isArray(source)) {
    const parts = source.map((child: JsonValue, index) => compileValue(child, `${at}.${index}`, to));
    return (scope, budget) => {
      const list: JsonValue[] = [];
      for (const part of parts) {
        const resolved = part(scope, budget);
        if (!resolved.ok) return resolved;
        list.push(resolved.value);
      }
      return value(list);
    };
  }
  const entries = Object.entries(source).map(
    ([key, child]) => [key, compileValue(child as JsonValue, `${at}.${key}`, to)] as const,
  );
  return (scope, budget) => {
    const object: [string, JsonValue][] = [];
    for (const [key, part] of entries) {
      const resolved = part(scope, budget);
      if (!resolved.ok) return resolved;
      object.push([key, resolved.value]);
    }
    // `fromEntries` defines own properties, whatever they are called.
    return value(Object.fromEntries(object));
  };
}

function compileText(source: string, at: string, to: Compilation): Part {
  if (!isTemplate(source)) return (_scope, budget) => spend(source, source.length, budget);
  const parts: (string | Token)[] = [];
  for (let rest = source; rest !== ''; ) {
    const start = rest.indexOf('{{');
    if (start !== 0) parts.push(start === -1 ? rest : rest.slice(0, start));
    if (start === -1) break;
    const parsed = parseToken(rest.slice(start + 2));
    if (typeof parsed === 'string') {
      to.onFault(at, parsed);
      return () => value(null);
    }
    parts.push(parsed.token);
    for (const fault of argumentFaults(parsed.token)) to.onFault(at, fault);
    to.references.push({ path: parsed.token.path, hasDefault: parsed.token.hasDefault });
    rest = rest.slice(start + 2 + parsed.length);
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && typeof only !== 'string')
    return (scope, budget) => {
      const resolved = resolveToken(only, scope, to.timezone);
      return resolved.ok ? spend(resolved.value, sizeOf(resolved.value), budget) : resolved;
    };
  return (scope, budget) => {
    let text = '';
    for (const part of parts) {
      const resolved = typeof part === 'string' ? value(part) : resolveToken(part, scope, to.timezone);
      if (!resolved.ok) return resolved;
      const written = textOf(resolved.value);
      if (written === undefined)
        return wiringFault(
          'TYPE_MISMATCH',
          'A list or an object cannot stand inside a text; use the filter json, join or first.',
        );
      text += written;
      if (text.length > budget.left) break;
    }
    return spend(text, text.length, budget);
  };
}

function spend(of: JsonValue, characters: number, budget: Budget): Resolved<JsonValue> {
  budget.left -= characters;
  return budget.left < 0
    ? wiringFault('RESULT_TOO_LARGE', `The input is larger than ${maxCharacters} characters.`)
    : value(of);
}

/** Roughly its size as JSON, in characters. Not bounded, because the payloads that it reads are. */
function sizeOf(of: JsonValue): number {
  if (typeof of === 'string') return of.length;
  if (typeof of !== 'object' || of === null) return 8;
  let size = 2;
  for (const [key, child] of Object.entries(of)) size += key.length + sizeOf(child as JsonValue) + 3;
  return size;
}
