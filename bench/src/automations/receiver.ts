import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What steps ask outside: answers at once, or, while it is held, not at all. */
export interface Receiver {
  readonly url: string;
  /** Requests that wait for an answer. */
  waiting(): number;
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const waiting = new Set<ServerResponse>();
  let isHeld = false;
  const server = createServer((request, response) => {
    request.resume();
    if (!isHeld) return void response.end('{}');
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    waiting: () => waiting.size,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const response of waiting) response.end('{}');
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
