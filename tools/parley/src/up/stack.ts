import { join } from 'node:path';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { openCappedFile } from '../logs/capped-file.ts';
import { type ReadableLine, readNatsLine, readPostgresLine, readServiceLine } from '../logs/log-line.ts';
import type { Terminal } from '../logs/terminal.ts';
import type { Settings } from '../settings.ts';
import type { StackDescription } from '../stack-file.ts';
import { Announcement } from './announcement.ts';
import { type BackingServer, prepareNats, preparePostgres } from './backing-servers.ts';
import type { Home } from './home.ts';
import { type Keeper, keepRunning, type Running } from './keeper.ts';
import { homeArgument } from './left-behind.ts';
import { type Instance, portFault, urlOf } from './ports.ts';
import { environmentOf } from './service-environment.ts';
import { startService } from './service-process.ts';
import { entryOf } from './service-table.ts';

export interface StackOptions {
  readonly settings: Settings;
  readonly home: Home;
  readonly instances: readonly Instance[];
  readonly terminal: Terminal;
  /** The environment that the services inherit. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Every process of a home, and the order in which they start and stop. */
export interface Stack {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  startPostgres(): Promise<void>;
  startNats(): Promise<void>;
  /** Starts a service; Postgres and NATS must be up. */
  startInstance(instance: Instance): Promise<void>;
  /** Writes `stack.json`, by which commands and tests find everything, now and after each restart. */
  announce(): Promise<void>;
  /** Stops the entrances, then the other services, NATS and Postgres, so that nothing loses what it needs. */
  stop(): Promise<void>;
  kill(): void;
}

const firstTries = 3;

export function createStack({ settings, home, instances, terminal, environment }: StackOptions): Stack {
  const keepers = new Map<string, Keeper>();
  const closeLogs: (() => void)[] = [];
  let databaseUrl = settings.DATABASE_URL;
  let natsUrl = settings.NATS_URL;
  let isStopping = false;
  const announcement = new Announcement(home.dir, describe);

  const urlsOf = (setting: 'PORT' | 'SANDBOX_PORT') =>
    instances
      .filter(({ service }) => service.listensOn === setting)
      .map(({ port }) => urlOf(settings.HOST, port));
  const [baseUrl = ''] = urlsOf('PORT');
  const [sandboxUrl = ''] = urlsOf('SANDBOX_PORT');

  function logOf(name: string, read: (line: string) => ReadableLine): (line: string) => void {
    const file = openCappedFile(join(home.logsDir, `${name}.log`));
    closeLogs.push(file.close);
    return (line) => {
      file.write(line);
      if (!isStopping) terminal.log(name, read(line));
    };
  }

  async function keep(name: string, start: (abort: AbortSignal) => Promise<Running>): Promise<void> {
    if (isStopping) throw new CommandFailed('The stack is being stopped.');
    const keeper = keepRunning({
      name,
      start,
      firstTries,
      onUp: (pid) => {
        if (!announcement.isMade) return;
        terminal.log(name, { severity: 'warn', text: `is up again (process ${pid})` });
        refresh();
      },
      onDown: (reason, delayMs) => {
        if (isStopping) return;
        if (announcement.isMade) refresh();
        terminal.log(name, { severity: 'warn', text: `${reason}; next start in ${delayMs / 1000} s` });
      },
    });
    keepers.set(name, keeper);
    await keeper.ready.catch((cause) => {
      const log = join(home.logsDir, `${name}.log`);
      throw new CommandFailed(`${name} ${messageOf(cause)}\nIts log is ${log}.`, exitCodes.negative, {
        cause,
      });
    });
  }

  function refresh(): void {
    announcement.write().catch((error) => terminal.say(`stack.json could not be written: ${error}`));
  }

  function describe(): StackDescription {
    return {
      supervisor_pid: process.pid,
      base_url: baseUrl,
      gateway_urls: urlsOf('PORT'),
      sandbox_url: sandboxUrl,
      nats_url: natsUrl ?? '',
      database_url: databaseUrl ?? '',
      processes: [...keepers.values()].map((keeper) => ({
        name: keeper.name,
        service: instances.find(({ name }) => name === keeper.name)?.service.name ?? keeper.name,
        pid: keeper.pid() ?? null,
      })),
    };
  }

  async function keepServer(name: string, server: BackingServer): Promise<string> {
    await keep(name, server.start);
    return server.url;
  }

  const stopAll = (names: readonly string[]) => Promise.all(names.map((name) => keepers.get(name)?.stop()));

  return {
    baseUrl,
    sandboxUrl,
    async startPostgres() {
      if (databaseUrl) return;
      databaseUrl = await keepServer(
        'postgres',
        await preparePostgres(home, logOf('postgres', readPostgresLine)),
      );
    },
    async startNats() {
      if (natsUrl) return;
      natsUrl = await keepServer(
        'nats',
        await prepareNats(home, environment.PATH ?? '', logOf('nats', readNatsLine)),
      );
    },
    async startInstance(instance) {
      const { name, service } = instance;
      const onLog = logOf(name, readServiceLine);
      const env = environmentOf(instance, {
        ...{ settings, environment, databaseUrl, natsUrl, sandboxUrl },
        secretsKeys: home.memory.secrets_keys,
        gatewayUrl: baseUrl,
      });
      const entry = entryOf(service, settings.PARLEY_BUNDLES);
      const start = (abort: AbortSignal) =>
        startService({ entry, homeArgument: homeArgument(home.dir), env, onLog, abort });
      await keep(name, start).catch(async (cause) => {
        // It was free when it was looked at, and somebody was faster.
        const fault = isStopping ? null : await portFault(instance, settings);
        throw fault ? new CommandFailed(fault, exitCodes.negative, { cause }) : cause;
      });
    },
    announce: () => announcement.write(),
    async stop() {
      isStopping = true;
      // What is left of it on a disk that can only be read any more names processes that are gone.
      await announcement.remove().catch((error) => terminal.say(`stack.json could not be removed: ${error}`));
      const entrances = instances.filter(({ service }) => service.isEntrance).map(({ name }) => name);
      const others = instances.filter(({ service }) => !service.isEntrance).map(({ name }) => name);
      for (const names of [entrances, others, ['nats'], ['postgres']]) await stopAll(names);
      for (const close of closeLogs) close();
    },
    kill() {
      isStopping = true;
      announcement.end();
      for (const keeper of keepers.values()) keeper.kill();
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
