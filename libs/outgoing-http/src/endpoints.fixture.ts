import type { Socket } from 'node:net';

/** Answers each request with the same bytes and closes. */
export const answering =
  (response: string | Buffer) =>
  (socket: Socket): void => {
    socket.once('data', () => socket.end(response));
  };

export const ok = (body = '', headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
