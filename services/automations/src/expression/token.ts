import type { Scope } from '../definition/compiled.ts';
import type { JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';
import { value, wiringFault } from './fault.ts';
import { filters, isBlank } from './filters.ts';
import { type Path, parsePath, readPath } from './path.ts';

interface Applied {
  readonly name: string;
  readonly argument: JsonValue | undefined;
}

/** What stands between two pairs of braces: `path | filter: argument | …`. */
export interface Token {
  /** Null for a literal, for example `{{ '{{' }}`. */
  readonly path: Path | null;
  readonly literal: JsonValue;
  readonly filters: readonly Applied[];
  readonly hasDefault: boolean;
}

const maxFilters = 10;
const longestShown = 40;
const lexeme =
  /^\s*(?:(\}\})|(\|)|(:)|'((?:[^'\\]|\\['\\])*)'|"((?:[^"\\]|\\["\\])*)"|(-?\d{1,15}(?:\.\d{1,15})?)(?![\w.[])|([A-Za-z_](?:[\w.-]|\[\d+\]|\['[^'\\]*'\]|\["[^"\\]*"\])*))/;

type Lexeme =
  | { readonly kind: 'end' | 'pipe' | 'colon' }
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'word'; readonly text: string };

const constants: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function* lexemes(source: string): Generator<{ lexeme: Lexeme; end: number }> {
  for (let at = 0; ; ) {
    const match = lexeme.exec(source.slice(at, at + 4096));
    if (!match) return;
    at += match[0].length;
    yield { lexeme: read(match), end: at };
  }
}

function read([, end, pipe, colon, single, double, number, word]: RegExpExecArray): Lexeme {
  if (end !== undefined) return { kind: 'end' };
  if (pipe !== undefined) return { kind: 'pipe' };
  if (colon !== undefined) return { kind: 'colon' };
  const quoted = single ?? double;
  if (quoted !== undefined) return { kind: 'literal', value: quoted.replace(/\\(.)/g, '$1') };
  if (number !== undefined) return { kind: 'literal', value: Number(number) };
  const text = word ?? '';
  const constant = constants.get(text);
  return constant === undefined ? { kind: 'word', text } : { kind: 'literal', value: constant };
}

/**
 * Reads what follows `{{`, up to and including `}}`. Returns the token and the length of its text, or a sentence on
 * what is wrong.
 */
export function parseToken(source: string): { readonly token: Token; readonly length: number } | string {
  const applied: Applied[] = [];
  let head: Lexeme | undefined;
  let expects: 'value' | 'filter' | 'argument' | 'next' = 'value';
  let filter: { name: string; argument: JsonValue | undefined } | undefined;
  let at = 0;
  for (const { lexeme: next, end } of lexemes(source)) {
    at = end;
    if (expects === 'value') {
      if (next.kind !== 'word' && next.kind !== 'literal') return 'A template must begin with a path.';
      head = next;
      expects = 'next';
    } else if (expects === 'filter') {
      if (next.kind !== 'word') return 'A filter must follow the |.';
      filter = { name: next.text, argument: undefined };
      expects = 'next';
    } else if (expects === 'argument') {
      if (next.kind !== 'literal' || !filter)
        return 'The argument of a filter must be a text in quotes or a number.';
      filter.argument = next.value;
      expects = 'next';
    } else if (next.kind === 'colon' && filter && filter.argument === undefined) expects = 'argument';
    else if (next.kind === 'pipe' || next.kind === 'end') {
      if (filter) applied.push(filter);
      filter = undefined;
      expects = 'filter';
      if (next.kind === 'end') return finish(head, applied, end);
    } else return 'A template must be like {{path | filter}}.';
  }
  return unread(source.slice(at).trimStart());
}

/** Why what is left of a template cannot be read. */
function unread(rest: string): string {
  const [part = '', ...behind] = rest.split('}}', 2);
  if (behind.length === 0) return 'A template that begins with {{ must end with }}.';
  const shown = part.slice(0, longestShown).toWellFormed();
  return `A template cannot be read from "${shown}" on; a name with anything but a to z, digits, _ and - stands in brackets: trigger.body['first name'].`;
}

function finish(head: Lexeme | undefined, applied: readonly Applied[], length: number) {
  if (applied.length > maxFilters) return `A template must not have more than ${maxFilters} filters.`;
  for (const { name, argument } of applied) {
    const known = Object.hasOwn(filters, name) ? filters[name] : undefined;
    if (!known) return `The filter ${name} does not exist; there are ${Object.keys(filters).join(', ')}.`;
    if (known.argument === 'required' && argument === undefined)
      return `The filter ${name} needs an argument.`;
    if (known.argument === 'none' && argument !== undefined) return `The filter ${name} takes no argument.`;
  }
  const path = head?.kind === 'word' ? parsePath(head.text) : null;
  if (typeof path === 'string') return path;
  const literal = head?.kind === 'literal' ? head.value : null;
  const hasDefault = applied.some(isDefault);
  return { token: { path, literal, filters: applied, hasDefault }, length };
}

const isDefault = ({ name }: Applied): boolean => name === 'default';

/** Why nobody can have meant the arguments of the token's filters. */
export const argumentFaults = (token: Token): readonly string[] =>
  token.filters.flatMap(
    ({ name, argument }) => (argument !== undefined && filters[name]?.argumentFault?.(argument)) || [],
  );

/**
 * The value of a token. A fault when its path leads to nothing and no `default` covers that, when a filter cannot be
 * applied, or when too much would have to be looked at.
 */
export function resolveToken(token: Token, scope: Scope, timezone: string): Resolved<JsonValue> {
  let current = token.path ? readPath(token.path, scope) : token.literal;
  for (const [at, { name, argument }] of token.filters.entries()) {
    // Where nothing is there, all filters but `default` are passed over.
    if (current === undefined && name !== 'default') continue;
    const filter = filters[name];
    if (filter?.readsAll && !scope.effort.spend(current)) return tooMuch;
    const applied = filter?.apply(current, argument, timezone);
    // Where a filter fails on null or an empty text, a `default` behind it takes effect.
    const isLeftToDefault = () => isBlank(current) && token.filters.slice(at).some(isDefault);
    if (applied?.ok) current = applied.value;
    else if (!applied || isLeftToDefault()) current = undefined;
    else return { ...applied, message: `${token.path?.text ?? 'A value'}: ${applied.message}` };
  }
  if (current === undefined)
    return wiringFault('MAPPING_UNRESOLVED', `There is no ${token.path?.text ?? 'value'}.`);
  return scope.effort.spend(current) ? value(current) : tooMuch;
}

const tooMuch = wiringFault('LIMIT_EFFORT', 'Too much has to be looked at to work this out.');
