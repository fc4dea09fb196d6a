import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Where the writer's connection breaks: on its next request, before Postgres has it, or on the next answer. */
export type Cut = 'request' | 'answer';

/** Stands between a store and Postgres and can break the writer's connection at a chosen point, or lose all of them. */
export interface CuttingProxy {
  readonly url: string;
  /** Packets that the writer has sent so far. */
  readonly writerRequests: number;
  /** Lets this many packets pass first. Resolves once it has cut. */
  cutWriter(cut: Cut, afterPackets?: number): Promise<void>;
  /** Nothing comes through the connections that there are any more, not even that they end; new ones work by default. */
  goSilent(options?: { readonly newOnesToo?: boolean }): void;
  /** New connections lead to another server; those that there are stay. */
  newOnesLeadTo(postgresUrl: string): void;
  /** Loses the connections that there are; new ones work again. */
  loseAll(): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(postgresUrl: string): Promise<CuttingProxy> {
  let target = new URL(postgresUrl);
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let areNewOnesSilent = false;
  let writerRequests = 0;
  let pending: { cut: Cut; packets: number; done: () => void } | undefined;

  function isCut(socket: Socket, direction: Cut, isWriter: boolean): boolean {
    if (!pending || !isWriter || pending.cut !== direction || pending.packets-- > 0) return false;
    const { done } = pending;
    pending = undefined;
    socket.destroy();
    done();
    return true;
  }

  const loseAll = () => {
    areNewOnesSilent = false;
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let isWriter = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (areNewOnesSilent) silent.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      isWriter ||= chunk.includes('parley-writer');
      if (isWriter) writerRequests += 1;
      if (!silent.has(client) && !isCut(client, 'request', isWriter)) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!silent.has(client) && !isCut(client, 'answer', isWriter)) client.write(chunk);
    });
    client.once('close', () => {
      if (!silent.has(client)) upstream.end();
    });
    upstream.once('close', () => {
      if (!silent.has(client)) client.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const url = new URL(postgresUrl);
  url.port = `${address.port}`;
  return {
    url: url.href,
    get writerRequests() {
      return writerRequests;
    },
    cutWriter: (cut, packets = 0) =>
      new Promise((done) => {
        pending = { cut, packets, done };
      }),
    goSilent({ newOnesToo = false } = {}) {
      areNewOnesSilent = newOnesToo;
      for (const socket of sockets) silent.add(socket);
    },
    newOnesLeadTo(otherUrl) {
      target = new URL(otherUrl);
    },
    loseAll,
    async close() {
      loseAll();
      server.close();
      await once(server, 'close');
    },
  };
}
