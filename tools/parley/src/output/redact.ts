import type { PersonalData } from '@parley/contracts';

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

// How somebody shows who they are (`…authorization_type`) is no secret.
const secretKey = /(^|_)(token|secret|password|authorization(?!_type)|credentials?|hash|sha256)(_|$)/i;

/** The same value with everything replaced that its key says is secret (a hash can be tried against, so it is too). */
export function redact(value: Json): Json {
  if (Array.isArray(value)) return value.map(redact);
  return isObject(value) ? redactFields(value) : value;
}

export const redactFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      secretKey.test(key) && value !== null ? '[secret]' : redact(value),
    ]),
  );

/** The same for the eyes of the person whose data it is: what an account keeps of them, whatever it calls it, is no secret. */
export function redactBesidesPersonal(
  data: JsonObject,
  { fields = [], each = {} }: PersonalData,
): JsonObject {
  const theirs = fields.flatMap((field) => (field in data ? [[field, data[field] ?? null]] : []));
  const lists = Object.entries(each).flatMap(([list, ofEach]) => {
    const entries = data[list];
    const shown = (entry: Json) => (isObject(entry) ? redactBesidesPersonal(entry, ofEach) : entry);
    return Array.isArray(entries) ? [[list, entries.map(shown)]] : [];
  });
  return { ...redactFields(data), ...Object.fromEntries([...theirs, ...lists]) };
}

const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
