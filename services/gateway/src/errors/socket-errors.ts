import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../edge/request/new-id.ts';
import { errorAnswer, thrownRejection } from './error-shapes.ts';

/**
 * How long such an answer has to be sent, in milliseconds, before the connection is cut, even if the client goes on
 * sending.
 */
const lingerMs = 1_000;

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';
/** The same error as Node raises for a request that did not arrive in time. */
export const requestTimedOut = (): Error =>
  Object.assign(new Error('Request timeout'), { code: timeoutCode });
export const isRequestTimeout = (error: Error): boolean => 'code' in error && error.code === timeoutCode;

/**
 * Answers a request that Node's parser refuses (bad framing, headers too large, too slow) and closes the
 * connection. While an earlier request of the connection is being answered it only closes it: the client would take
 * these bytes for that answer.
 */
export function answerSocketError(
  error: Error,
  socket: Socket,
  securityHeaders: Readonly<Record<string, string>>,
): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { status, body, headers } = errorAnswer(thrownRejection(error), null);
  const lines = Object.entries({
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    'x-request-id': newId(),
    ...securityHeaders,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/**
 * Whether a response has begun, or its request is complete. Node keeps it only in this internal field of the
 * socket.
 */
function isAnswering(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof ServerResponse && (response.headersSent || response.req.complete);
}
