import { type Rejection, reject } from '@parley/contracts';

const strongVersion = /^"(\d{1,15})"$/;

/**
 * The version that `If-Match` asks for; `null` when it asks for none. Only a strong tag of ours can match (RFC 9110,
 * 13.1.1), so anything else is a mismatch.
 */
export function expectedVersionOf(header: string | undefined): number | null | Rejection {
  if (header === undefined || header.trim() === '*') return null;
  const version = strongVersion.exec(header.trim())?.[1];
  return version === undefined ? reject('version_mismatch') : Number(version);
}
