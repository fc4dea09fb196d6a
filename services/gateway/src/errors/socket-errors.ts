import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../edge/new-id.ts';
import { errorAnswer, thrownRejection } from './error-shapes.ts';

/** What is left to send of such an answer has that long to leave, in milliseconds: who goes on sending is not waited for. */
const lingerMs = 1_000;

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';
/** As Node says that a request did not arrive in time. */
export const requestTimedOut = (): Error =>
  Object.assign(new Error('Request timeout'), { code: timeoutCode });
export const isRequestTimeout = (error: Error): boolean => 'code' in error && error.code === timeoutCode;

/**
 * Answers what is not even a request (bad framing, headers too large, too slow) and closes the connection. What comes
 * behind a request that is still being answered just ends it: anything written now would be taken for that answer.
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

/** Node keeps the response under way on its socket, and tells nobody else. */
function isAnswering(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof ServerResponse && (response.headersSent || response.req.complete);
}
