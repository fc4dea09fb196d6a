import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../json.ts';

type Headers = Readonly<Record<string, string>>;

/** What templates see as `trigger`; undefined for a body that cannot be kept. */
export function webhookPayload(headers: Headers, body: Buffer): JsonValue | undefined {
  const text = body.toString('utf8');
  if (text.includes('\u0000') || !text.isWellFormed()) return undefined;
  const read = readBody(text, headers['content-type'] ?? '');
  return read === undefined ? undefined : { headers, body: read };
}

function readBody(text: string, contentType: string): JsonValue | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return Object.fromEntries(new URLSearchParams(text));
  const looksLikeJson = /[/+]json\b/i.test(contentType) || /^\s*[[{]/.test(text);
  if (!looksLikeJson) return text;
  try {
    const parsed = JSON.parse(text) as JsonValue;
    // Escaped in JSON they get past the look at the bytes.
    return /\\u0000|\\ud[89a-f]/i.test(JSON.stringify(parsed)) ? undefined : parsed;
  } catch {
    return /[/+]json\b/i.test(contentType) ? undefined : text;
  }
}

/** Senders that repeat a request say so by an id of it: Standard Webhooks', or an idempotency key. */
export const requestIdOf = (headers: Headers): string | undefined =>
  headers['webhook-id'] || headers['idempotency-key'] || undefined;

/** HMAC-SHA256 of the bytes as they arrived, in hexadecimal or base64, with or without `sha256=` before it. */
export function isSigned(body: Buffer, secret: string, signature: string | undefined): boolean {
  const given = (signature ?? '').trim().replace(/^sha256=/i, '');
  const expected = createHmac('sha256', secret).update(body).digest();
  return [expected.toString('hex'), expected.toString('base64')].some((text) => {
    const [a, b] = [Buffer.from(text), Buffer.from(/^[0-9a-f]+$/i.test(given) ? given.toLowerCase() : given)];
    return a.length === b.length && timingSafeEqual(a, b);
  });
}
