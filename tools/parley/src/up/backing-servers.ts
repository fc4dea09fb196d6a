import { join } from 'node:path';
import {
  findFreePort,
  findNatsServer,
  isAddressInUse,
  natsUrl,
  nearestPostgresUrl,
  startNats,
  startPostgres,
} from '@parley/embedded-servers';
import type { Home } from './home.ts';
import type { Running } from './keeper.ts';
import { installationRoot } from './service-table.ts';

/** An embedded server: where it can be reached, and how to start it (again, on the same port). */
export interface BackingServer {
  readonly url: string;
  readonly start: (abort: AbortSignal) => Promise<Running>;
}

const portsTried = 3;

/** The home's own Postgres. Its port stays what it was at the last start if that is free. */
export async function preparePostgres(home: Home, onLog: (line: string) => void): Promise<BackingServer> {
  let port = await findFreePort(home.memory.postgres_port);
  const password = home.memory.postgres_password;
  return {
    get url() {
      return nearestPostgresUrl({ dataDir: home.postgresDir, port, password });
    },
    start: onFreePort(
      (abort) => startPostgres({ dataDir: home.postgresDir, port, password, onLog, abort }),
      async () => {
        port = await findFreePort();
      },
      () => home.remember({ postgres_port: port }),
    ),
  };
}

/** The home's own NATS with JetStream; gets the program on first use when the machine has none. */
export async function prepareNats(
  home: Home,
  searchPath: string,
  onLog: (line: string) => void,
): Promise<BackingServer> {
  const binary = await findNatsServer(join(installationRoot, '.toolchain', 'nats-server'), searchPath);
  let port = await findFreePort(home.memory.nats_port);
  const password = home.memory.nats_password;
  return {
    get url() {
      return natsUrl(port, password);
    },
    start: onFreePort(
      (abort) => startNats({ binary, storeDir: home.natsDir, port, password, onLog, abort }),
      async () => {
        port = await findFreePort();
      },
      () => home.remember({ nats_port: port }),
    ),
  };
}

/**
 * Another program may take a port between its choice and its use: before the first success another one is chosen.
 * Later starts keep the port, because the services know it.
 */
function onFreePort(
  start: (abort: AbortSignal) => Promise<Running>,
  chooseAnother: () => Promise<void>,
  onFirstSuccess: () => Promise<void>,
): (abort: AbortSignal) => Promise<Running> {
  let wasUp = false;
  return async (abort) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const running = await start(abort);
        if (!wasUp) await onFirstSuccess().catch((error: unknown) => stopAfter(running, error));
        wasUp = true;
        return running;
      } catch (error) {
        if (wasUp || attempt === portsTried || !isAddressInUse(error)) throw error;
        await chooseAnother();
      }
    }
  };
}

/** A server that nobody keeps would stand in the way of the next try. */
async function stopAfter(running: Running, error: unknown): Promise<never> {
  await running.stop();
  throw error;
}
