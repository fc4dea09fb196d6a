import { createServer } from 'node:net';

/** A TCP port on the loopback address that nobody listens on right now; `preferred` when that one is free. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  const port = await tryListening(0);
  if (port === undefined) throw new Error('No TCP port is free.');
  return port;
}

/** Whether one could listen on it right now. */
export const isPortFree = async (port: number, host = '127.0.0.1'): Promise<boolean> =>
  (await tryListening(port, host)) !== undefined;

function tryListening(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen(port, host, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address ? address.port : undefined;
      probe.close(() => resolve(chosen));
    });
  });
}
