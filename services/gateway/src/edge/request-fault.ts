import type { IncomingMessage } from 'node:http';
import { type Rejection, reject } from '@parley/contracts';

const slash = 0x2f;
const malformed = reject('malformed');

/**
 * Two servers in a row must not read one request differently: a target that is no path (an absolute URI, `*`), an
 * HTTP/1.1 request without a host, and one with several are refused (RFC 9112, 3.2).
 */
export function requestFault({ url = '', rawHeaders, httpVersion }: IncomingMessage): Rejection | null {
  const hosts = countHosts(rawHeaders);
  const isClear = hosts === 1 || (hosts === 0 && httpVersion === '1.0');
  return url.charCodeAt(0) === slash && isClear ? null : malformed;
}

/** Of `headers` Node keeps the first one alone. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  return count;
}
