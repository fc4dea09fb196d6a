/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const secretKey = /(^|_)(token|secret|password|authorization|credentials?|hash|sha256)(_|$)/i;

/** The same value with everything replaced that its key says is secret (a hash can be tried against, so it is too). */
export function redact(value: Json): Json {
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== 'object') return value;
  return redactFields(value);
}

export const redactFields = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      secretKey.test(key) && value !== null ? '[secret]' : redact(value),
    ]),
  );
