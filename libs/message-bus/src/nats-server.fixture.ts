import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, findNatsServer, startNats } from '@parley/embedded-servers';
import { onTestFinished } from 'vitest';

/** A NATS server of the test's own, to be killed, started again at the same address, and robbed of its storage. */
export interface OwnNats {
  readonly url: string;
  start(): Promise<void>;
  /** Ends the process without any goodbye. */
  kill(): Promise<void>;
  /** Only while stopped. */
  deleteStorage(): Promise<void>;
}

export async function startOwnNats(): Promise<OwnNats> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bus-'));
  const storeDir = join(dir, 'jetstream');
  const root = join(import.meta.dirname, '..', '..', '..');
  // biome-ignore lint/style/noProcessEnv: nats-server is looked for on the search path.
  const binary = await findNatsServer(join(root, '.toolchain', 'nats-server'), process.env.PATH ?? '');
  const port = await findFreePort();
  let server = await startNats({ binary, storeDir, port });
  const kill = async () => {
    try {
      process.kill(server.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
    await server.exited;
  };
  onTestFinished(async () => {
    await kill();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    url: server.url,
    kill,
    async start() {
      server = await startNats({ binary, storeDir, port });
    },
    deleteStorage: () => rm(storeDir, { recursive: true, force: true }),
  };
}
