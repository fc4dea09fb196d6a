import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createListener, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

interface Listener {
  readonly port: number;
  /** Connections accepted so far. */
  connections(): number;
}

/** A raw TCP listener on loopback that does with each connection whatever the test wants, until the test ends. */
export async function listen(onConnection: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createListener((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: await portOf(server), connections: () => count };
}

/** Starts a server in place of somebody else's, until the test ends. Returns its base URL. */
export async function startLocalServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('A listening server has an address.');
  return address.port;
}
