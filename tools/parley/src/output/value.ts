import { fieldName, toJson } from './json.ts';
import type { Json, JsonObject } from './redact.ts';

/** One value on one line; `-` where there is none. */
export const inline = (value: Json | undefined): string => (value === undefined ? '-' : toJson(value));

/** `name="Sales" color=null` */
export const inlineFields = (fields: JsonObject): string =>
  Object.entries(fields)
    .map(([key, value]) => `${fieldName(key)}=${inline(value)}`)
    .join(' ');

/** A value as indented lines: a field a line, nested fields below theirs. */
export function outline(value: Json, indent = ''): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const [first = '', ...rest] = outline(item, `${indent}  `);
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  if (value === null || typeof value !== 'object') return [`${indent}${inline(value)}`];
  const entries = Object.entries(value).map(([key, item]) => [fieldName(key), item] as const);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries.flatMap(([key, item]) =>
    isEmptyOrPlain(item)
      ? [`${indent}${key.padEnd(width)}  ${inline(item)}`]
      : [`${indent}${key}`, ...outline(item, `${indent}  `)],
  );
}

const isEmptyOrPlain = (value: Json): boolean =>
  value === null || typeof value !== 'object' || Object.keys(value).length === 0;

/** The fields that differ, by path (`variables.name`), each with both values; `undefined` where it is missing. */
export function differences(
  before: Json | undefined,
  after: Json | undefined,
  path = '',
): readonly { readonly path: string; readonly before: Json | undefined; readonly after: Json | undefined }[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [{ path, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    differences(before[key], after[key], `${path === '' ? '' : `${path}.`}${fieldName(key)}`),
  );
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
