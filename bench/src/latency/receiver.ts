import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { nowMs } from './clock.ts';

/** A customer's server on loopback: when each webhook came, by the event it is about. */
export interface TimedReceiver {
  readonly url: string;
  readonly cameAt: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startTimedReceiver(): Promise<TimedReceiver> {
  const cameAt = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const at = nowMs();
    const { event_id: eventId } = JSON.parse(await text(request));
    if (cameAt.has(eventId)) throw new Error(`The webhook about ${eventId} came twice.`);
    cameAt.set(eventId, at);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    cameAt,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
