import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedNatsOptions, startNats } from '@parley/embedded-servers';
import { makeDataFolder } from './data-folder.ts';
import { natsBinary } from './nats-binary.ts';
import { onFreePort } from './on-free-port.ts';

/** A NATS server with JetStream of the test's own: services bear their real names there, which other tests use too. */
export interface OwnNats {
  readonly url: string;
  /** Ends the process without any goodbye. */
  kill(): Promise<void>;
  /** Again, at the same address. */
  start(): Promise<void>;
  /** Only while it is not running. */
  deleteStorage(): Promise<void>;
  /** For good. */
  stop(): Promise<void>;
}

/**
 * Starts a nats-server with JetStream on a free port of the loopback address, with its data in a temporary folder. Rejects when
 * no binary is found or it does not start. The caller must `stop` it, which deletes the folder.
 */
export async function startOwnNats(
  settings: Pick<EmbeddedNatsOptions, 'maxPayloadBytes'> = {},
): Promise<OwnNats> {
  const dir = await makeDataFolder('nats');
  const storeDir = join(dir, 'jetstream');
  const binary = await natsBinary();
  const launch = (port: number) => startNats({ ...settings, binary, storeDir, port });
  let server = await onFreePort(launch);
  const port = Number(new URL(server.url).port);
  return {
    url: server.url,
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    async start() {
      server = await launch(port);
    },
    deleteStorage: () => rm(storeDir, { recursive: true, force: true }),
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
