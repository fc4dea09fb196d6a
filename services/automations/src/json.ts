import { parseWithAllDigits } from '@parley/process-kit';

/** What templates, payloads and actions work on: any value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Parses what others sent; undefined for a text that is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return parseWithAllDigits(text) as JsonValue;
  } catch {
    return undefined;
  }
}

type Container = Extract<JsonValue, object>;
const isContainer = (value: JsonValue): value is Container => typeof value === 'object' && value !== null;

/**
 * Whether lists and objects are nested deeper than so many levels. Not recursive: recursive code is safe only on a
 * value that was checked here.
 */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  let containers = [value].filter(isContainer);
  for (let depth = 1; containers.length > 0; depth += 1) {
    if (depth > levels) return true;
    containers = containers.flatMap((container): JsonValue[] => Object.values(container)).filter(isContainer);
  }
  return false;
}
