import { parseWithAllDigits } from '@parley/process-kit';

/** What templates, payloads and actions work on: what JSON can say. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** What others sent; undefined for a text that is no JSON. */
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
 * Whether lists and objects stand in each other deeper than so many levels. Without recursion: whatever walks the value
 * by one is only safe afterwards.
 */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  let containers = [value].filter(isContainer);
  for (let depth = 1; containers.length > 0; depth += 1) {
    if (depth > levels) return true;
    containers = containers.flatMap((container): JsonValue[] => Object.values(container)).filter(isContainer);
  }
  return false;
}
