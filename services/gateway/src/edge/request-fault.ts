import type { IncomingMessage } from 'node:http';
import { type Rejection, reject } from '@parley/contracts';

const slash = 0x2f;
const malformed = reject('malformed');

/**
 * Two servers in a row must not read one request differently: a target that is no path (an absolute URI, `*`) and an
 * HTTP/1.1 request without a host are refused.
 */
export const requestFault = ({ url = '', headers, httpVersion }: IncomingMessage): Rejection | null =>
  url.charCodeAt(0) === slash && (headers.host !== undefined || httpVersion === '1.0') ? null : malformed;
