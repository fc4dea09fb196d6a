import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { type ServerProcess, spawnServer } from './server-process.ts';

const run = promisify(execFile);

export interface EmbeddedNatsOptions {
  readonly binary: string;
  /** JetStream's directory. All of it may be deleted while stopped: that costs time, never data. */
  readonly storeDir: string;
  readonly port: number;
  /** Only clients that know it (the server's `url` has it) may connect; absent: every program of this machine. */
  readonly password?: string;
  /** Of the largest message; 1 MiB when absent. */
  readonly maxPayloadBytes?: number;
  readonly onLog?: (line: string) => void;
  /** Stops it while it is still starting; `start…` rejects then. */
  readonly abort?: AbortSignal;
}

const user = 'parley';
/** One whose disk was full may stand still for good; what is lost by a kill is sent again. */
const stopTimeoutMs = 10_000;

/**
 * A nats-server with JetStream on the loopback address. The store directory is on its command line, which identifies it.
 * It gets half of the cores: Go's idle threads look for work on every core they may use, at the services' expense.
 */
export async function startNats(options: EmbeddedNatsOptions): Promise<ServerProcess> {
  const { binary, storeDir, port, password, maxPayloadBytes, onLog, abort } = options;
  await mkdir(storeDir, { recursive: true });
  const configuration = [
    ...(await describeDurability(binary, storeDir)),
    ...describeAccess(password),
    ...(maxPayloadBytes === undefined ? [] : [`max_payload: ${maxPayloadBytes}`]),
  ];
  const configurationFile = `${storeDir}.conf`;
  await writeFile(configurationFile, `${configuration.join('\n')}\n`, { mode: 0o600 });
  return spawnServer({
    command: binary,
    args: [
      ...['--addr', '127.0.0.1', '--port', String(port)],
      ...['--jetstream', '--store_dir', storeDir],
      ...['--config', configurationFile],
    ],
    url: natsUrl(port, password),
    readyLine: /Server is ready/,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    stopTimeoutMs,
    env: { GOMAXPROCS: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
    onLog: onLog ?? (() => undefined),
    ...(abort ? { abort } : {}),
  });
}

/** Where a server that `startNats` starts with these can be reached. */
export const natsUrl = (port: number, password?: string): string =>
  `nats://${password === undefined ? '' : `${user}:${password}@`}127.0.0.1:${port}`;

/** From 2.10 on a server can fsync before it acknowledges; older ones refuse to start with that setting. */
async function describeDurability(binary: string, storeDir: string): Promise<readonly string[]> {
  const { stdout } = await run(binary, ['--version']);
  const [, major = '0', minor = '0'] = /v?(\d+)\.(\d+)\./.exec(stdout) ?? [];
  if (Number(major) < 2 || (Number(major) === 2 && Number(minor) < 10)) return [];
  return ['jetstream {', `  store_dir: ${JSON.stringify(storeDir)}`, '  sync_interval: always', '}'];
}

/** In a file that only its owner may read: a command line can be read by everybody. */
const describeAccess = (password: string | undefined): readonly string[] =>
  password === undefined ? [] : [`authorization { user: ${user}, password: ${JSON.stringify(password)} }`];
