import type { Scope } from '../definition/compiled.ts';
import type { JsonValue } from '../json.ts';

const roots = ['trigger', 'steps', 'vars', 'run', 'now'] as const;
type Root = (typeof roots)[number];

/** A place in the scope: `trigger.lead.variables.first_name`, `steps.send.output.status`, `now`. */
export interface Path {
  readonly text: string;
  readonly root: Root;
  /** The step whose output is read; null for other roots. */
  readonly step: string | null;
  /** The keys below `trigger`, `vars`, `run`, or a step's output. */
  readonly keys: readonly string[];
}

/** Names that lead out of the data, to what every object shares. */
const refusedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const maxKeys = 32;

const segment = /^(?:\.([A-Za-z0-9_-]+)|\[(\d{1,9})\]|\['([^'\\]{1,255})'\]|\["([^"\\]{1,255})"\])/;

/** The path, or a sentence about what is wrong with it. */
export function parsePath(text: string): Path | string {
  const [name = ''] = /^[A-Za-z_]+/.exec(text) ?? [];
  const root = roots.find((known) => known === name);
  if (!root) return `"${text}" must begin with one of ${roots.join(', ')}.`;
  const keys: string[] = [];
  for (let rest = text.slice(name.length); rest !== ''; ) {
    const match = segment.exec(rest);
    const key = match?.slice(1).find((part) => part !== undefined);
    if (!match || key === undefined) return `"${text}" is not a path.`;
    if (refusedNames.has(key)) return `"${text}" must not name ${key}.`;
    keys.push(key);
    rest = rest.slice(match[0].length);
  }
  if (keys.length > maxKeys) return `"${text}" is too deep.`;
  return rooted(text, root, keys);
}

function rooted(text: string, root: Root, keys: readonly string[]): Path | string {
  if (root === 'now')
    return keys.length === 0 ? { text, root, step: null, keys } : `"${text}": now is a text.`;
  if (root !== 'steps') return { text, root, step: null, keys };
  const [step, output, ...below] = keys;
  if (step === undefined || output !== 'output') return `"${text}" must be like steps.<id>.output.`;
  return { text, root, step, keys: below };
}

/**
 * The value at a path; undefined when nothing is there. Only own properties are read, so that data never turns into
 * behaviour.
 */
export function readPath({ root, step, keys }: Path, scope: Scope): JsonValue | undefined {
  let found: JsonValue | undefined = start(root, step, scope);
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    if (Array.isArray(found) && !/^\d+$/.test(key)) return undefined;
    // `Object.hasOwn` has shown that this is a property of its own.
    found = (found as Readonly<Record<string, JsonValue>>)[key];
  }
  return found;
}

function start(root: Root, step: string | null, scope: Scope): JsonValue | undefined {
  switch (root) {
    case 'steps':
      return step !== null && Object.hasOwn(scope.steps, step) ? scope.steps[step]?.output : undefined;
    case 'trigger':
    case 'vars':
    case 'run':
    case 'now':
      return scope[root];
    default:
      return root satisfies never;
  }
}
