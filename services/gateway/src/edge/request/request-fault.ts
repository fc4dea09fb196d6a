import type { IncomingMessage } from 'node:http';
import { type Rejection, reject } from '@parley/contracts';

const slash = 0x2f;
const malformed = reject('malformed');

/**
 * `malformed` for a request that a proxy before us might read differently: a target that is no path (an absolute
 * URI, `*`), several `Host` headers, or none in HTTP/1.1 (RFC 9112, 3.2). `null` when it is clear.
 */
export function requestFault({ url = '', rawHeaders, httpVersion }: IncomingMessage): Rejection | null {
  const hosts = countHosts(rawHeaders);
  const isClear = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return url.charCodeAt(0) === slash && isClear ? null : malformed;
}

/** Counts in the raw headers: in `headers` Node keeps only the first `Host`. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  return count;
}
