import { dropUnstorable } from '@parley/contracts';
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
  return parsed === undefined || isDeeperThan(parsed, maxJsonDepth) ? body : parsed;
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
