import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestEndpoint {
  readonly port: number;
  /** Connections accepted so far. */
  connections(): number;
}

/** A raw TCP listener on loopback that does with each connection whatever the test wants. */
export async function listen(onConnection: (socket: Socket) => void): Promise<TestEndpoint> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('A listening server has an address.');
  return { port: address.port, connections: () => count };
}

/** Answers each request with the same bytes and closes. */
export const answering =
  (response: string | Buffer) =>
  (socket: Socket): void => {
    socket.once('data', () => socket.end(response));
  };

export const ok = (body = '', headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
