import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidField, isStorableJson, type Rejection, reject } from '@parley/contracts';
import { isDeeperThan, type JsonValue, parseJson } from '../json.ts';
import { maxJsonDepth } from '../run/limits.ts';
import { unpackBody } from './unpack-body.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * What templates see as `trigger`: the body unpacked, the headers without the encoding that it had. A rejection for a
 * body that cannot be unpacked or kept.
 */
export async function webhookPayload(
  { 'content-encoding': encoding, ...headers }: Headers,
  bytes: Buffer,
): Promise<{ readonly headers: Headers; readonly body: JsonValue } | Rejection> {
  const unpacked = await unpackBody(bytes, encoding);
  if ('code' in unpacked) return unpacked;
  const text = unpacked.toString('utf8');
  if (text.includes('\u0000') || !text.isWellFormed()) return reject('malformed');
  const read = readBody(text, headers['content-type'] ?? '');
  return 'code' in read ? read : { headers, ...read };
}

function readBody(text: string, contentType: string): { readonly body: JsonValue } | Rejection {
  const body = parseBody(text, contentType);
  if (body === undefined) return reject('malformed');
  if (isDeeperThan(body, maxJsonDepth))
    return invalidField('body', `The body must not be nested deeper than ${maxJsonDepth} levels.`);
  // Escaped they get past the look at the bytes.
  return isStorableJson(body) ? { body } : reject('malformed');
}

/** Undefined for what is not the JSON that it is said to be. */
function parseBody(text: string, contentType: string): JsonValue | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType))
    return Object.fromEntries(new URLSearchParams(text));
  if (/[/+]json\b/i.test(contentType)) return parseJson(text);
  return /^\s*[[{]/.test(text) ? (parseJson(text) ?? text) : text;
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
