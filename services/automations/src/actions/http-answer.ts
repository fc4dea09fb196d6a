import { dropUnstorable, isStorableJson } from '@parley/contracts';
import type { OutgoingResult } from '@parley/outgoing-http';
import { isDeeperThan, type JsonValue, parseJson } from '../json.ts';
import { maxJsonDepth, payloadBytes } from '../run/advance/limits.ts';

/** Cookies are credentials of a kind: later steps do not get them. */
const hiddenHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/**
 * An answer as later steps see it. The body is cut (`body_cut`) where the output would be larger than `payloadBytes`.
 */
export function outputOf(
  { status, headers, body, isBodyCut }: Extract<OutgoingResult, { kind: 'answered' }>,
  redact: (text: string) => string,
): JsonValue {
  const shown = Object.entries(headers).filter(([name]) => !hiddenHeaders.has(name));
  const head = {
    status,
    headers: Object.fromEntries(shown.map(([name, value]) => [name, redact(dropUnstorable(value))])),
  };
  const text = redact(dropUnstorable(body));
  const whole = {
    ...head,
    body: read(text, headers['content-type'] ?? ''),
    ...(isBodyCut && { body_cut: true }),
  };
  if (jsonBytes(whole) <= payloadBytes) return whole;
  const left = payloadBytes - jsonBytes({ ...head, body: '', body_cut: true });
  return { ...head, body: cut(text, left), body_cut: true };
}

function read(body: string, contentType: string): JsonValue {
  if (body === '') return null;
  if (!/[/+]json\b/i.test(contentType)) return body;
  const parsed = parseJson(body);
  if (parsed === undefined || isDeeperThan(parsed, maxJsonDepth)) return body;
  return isStorableJson(parsed) ? parsed : storable(parsed);
}

/** The value without what JSON may hold escaped and no other step takes: NUL, and halves of characters. */
function storable(value: JsonValue): JsonValue {
  if (typeof value === 'string') return dropUnstorable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((child: JsonValue) => storable(child));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [dropUnstorable(key), storable(child as JsonValue)]),
  );
}

/** The longest beginning of the text that takes at most so many bytes as JSON, where one character may take six. */
function cut(text: string, bytes: number): string {
  let [fitting, tooLong] = [0, text.length + 1];
  while (tooLong - fitting > 1) {
    const middle = Math.floor((fitting + tooLong) / 2);
    if (jsonBytes(text.slice(0, middle)) - '""'.length <= bytes) fitting = middle;
    else tooLong = middle;
  }
  return dropUnstorable(text.slice(0, fitting));
}

const jsonBytes = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));
