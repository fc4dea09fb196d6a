import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports an operating system gives to outgoing connections start at 32768 (Linux) or 49152 (IANA). A server's port from
 * there could be taken by any connection while the server is being started again.
 */
const lowest = 20_000;
const beyond = 32_768;

/** Whoever was given one of these may not listen on it yet. */
const given = new Set<number>();

/**
 * A TCP port on the loopback address that nobody listens on right now, and that this process was not given before;
 * `preferred` when nobody listens on that one.
 */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowest, beyond);
    if (given.has(port) || !(await isPortFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`No TCP port from ${lowest} to ${beyond - 1} is free.`);
}

const isPortFree = async (port: number): Promise<boolean> => (await listenFault(port, '127.0.0.1')) === null;

/** Why nobody could listen there right now, `EADDRINUSE` for example; null when one could. */
export const listenFault = (port: number, host: string): Promise<NodeJS.ErrnoException | null> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
