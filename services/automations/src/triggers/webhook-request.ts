import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Rejection } from '@parley/contracts';
import type { JsonValue } from '../json.ts';
import { unpackBody } from './unpack-body.ts';
import { readBody } from './webhook-body.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * What templates see as `trigger`: the headers without the body's encoding, and the body, unpacked. A rejection when
 * the body cannot be unpacked, read or stored.
 */
export async function webhookPayload(
  { 'content-encoding': encoding, ...headers }: Headers,
  bytes: Buffer,
): Promise<{ readonly headers: Headers; readonly body: JsonValue } | Rejection> {
  const unpacked = await unpackBody(bytes, encoding);
  if ('code' in unpacked) return unpacked;
  const read = readBody(unpacked, headers['content-type'] ?? '');
  return 'code' in read ? read : { headers, ...read };
}

/**
 * The sender's own id of a request, the same when it repeats the request: `webhook-id` of Standard Webhooks, or an
 * idempotency key. Undefined when it gives none.
 */
export const requestIdOf = (headers: Headers): string | undefined =>
  headers['webhook-id'] || headers['idempotency-key'] || undefined;

/**
 * Whether `signature` is the HMAC-SHA256 of the bytes as they arrived, in hexadecimal or base64, with or without
 * `sha256=` before it.
 */
export function isSigned(body: Buffer, secret: string, signature: string | undefined): boolean {
  const given = (signature ?? '').trim().replace(/^sha256=/i, '');
  const expected = createHmac('sha256', secret).update(body).digest();
  return [expected.toString('hex'), expected.toString('base64')].some((text) => {
    const [a, b] = [Buffer.from(text), Buffer.from(/^[0-9a-f]+$/i.test(given) ? given.toLowerCase() : given)];
    return a.length === b.length && timingSafeEqual(a, b);
  });
}
