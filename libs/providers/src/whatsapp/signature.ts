import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether the header `X-Hub-Signature-256` signs exactly these bytes; compares in constant time. */
export function isSignedBy(appSecret: string, body: Uint8Array, signature: string): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}
