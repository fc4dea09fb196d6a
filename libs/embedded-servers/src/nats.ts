import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type ServerProcess, spawnServer } from './server-process.ts';

const run = promisify(execFile);

export interface EmbeddedNatsOptions {
  readonly binary: string;
  /** JetStream's directory. All of it may be deleted while stopped: that costs time, never data. */
  readonly storeDir: string;
  readonly port: number;
  readonly onLog?: (line: string) => void;
  /** Stops it while it is still starting; `start…` rejects then. */
  readonly abort?: AbortSignal;
}

/** A nats-server with JetStream on the loopback address. The store directory is on its command line, which identifies it. */
export async function startNats(options: EmbeddedNatsOptions): Promise<ServerProcess> {
  const { binary, storeDir, port, onLog, abort } = options;
  await mkdir(storeDir, { recursive: true });
  return spawnServer({
    command: binary,
    args: [
      ...['--addr', '127.0.0.1', '--port', String(port)],
      ...['--jetstream', '--store_dir', storeDir],
      ...(await durabilityArguments(binary, storeDir)),
    ],
    url: `nats://127.0.0.1:${port}`,
    readyLine: /Server is ready/,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    onLog: onLog ?? (() => undefined),
    ...(abort ? { abort } : {}),
  });
}

/** From 2.10 on a server can fsync before it acknowledges; older ones refuse to start with that setting. */
async function durabilityArguments(binary: string, storeDir: string): Promise<readonly string[]> {
  const { stdout } = await run(binary, ['--version']);
  const [, major = '0', minor = '0'] = /v?(\d+)\.(\d+)\./.exec(stdout) ?? [];
  if (Number(major) < 2 || (Number(major) === 2 && Number(minor) < 10)) return [];
  const file = `${storeDir}.conf`;
  await writeFile(
    file,
    `jetstream {\n  store_dir: ${JSON.stringify(storeDir)}\n  sync_interval: always\n}\n`,
  );
  return ['--config', file];
}
