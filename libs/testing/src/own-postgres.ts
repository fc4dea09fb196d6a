import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ServerProcess, startPostgres } from '@parley/embedded-servers';
import pg from 'pg';
import { makeDataFolder } from './data-folder.ts';
import { eventually } from './eventually.ts';
import { onFreePort } from './on-free-port.ts';

/** A Postgres server of the test's own, which it may take away for as long as it likes. */
export interface OwnPostgres {
  readonly url: string;
  /** Ends it as a crash does. */
  goAway(): Promise<void>;
  /** Starts it again. */
  comeBack(): Promise<void>;
  /** Both, with so long in between. */
  crash(awayMs: number): Promise<void>;
  /** `kill -9` of one of its backends: the server drops every connection and recovers. */
  killBackend(): Promise<void>;
  /** Another server with what this one has by now, which takes no changes, as one that repeats this one's log; its URL. */
  startStandby(): Promise<string>;
  stop(): Promise<void>;
}

/** `settings`: of `postgresql.conf`. */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const home = await makeDataFolder('postgres');
  const password = randomUUID();
  const dataDir = join(home, 'postgres');
  const start = (port: number) => startPostgres({ dataDir, port, password, settings });
  let standby: ServerProcess | undefined;
  let server: ServerProcess = await onFreePort(start);
  const port = Number(new URL(server.url).port);
  const goAway = async () => {
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
  };
  const comeBack = async () => {
    // What the dead one leaves behind goes within moments.
    server = await eventually(() => start(port), 30_000, 100);
  };
  return {
    url: server.url,
    goAway,
    comeBack,
    async crash(awayMs) {
      await goAway();
      await sleep(awayMs);
      await comeBack();
    },
    async killBackend() {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined);
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'client backend' order by random() limit 1`,
      );
      for (const { pid } of rows) process.kill(pid, 'SIGKILL');
      await client.end().catch(() => undefined);
    },
    async startStandby() {
      const copy = join(home, 'standby');
      await server.stop();
      await promisify(execFile)('cp', ['-a', dataDir, copy]);
      await comeBack();
      await writeFile(join(copy, 'standby.signal'), '');
      standby = await onFreePort((own) => startPostgres({ dataDir: copy, port: own, password, settings }));
      return standby.url;
    },
    async stop() {
      await Promise.all([server.stop(), standby?.stop()]);
      await rm(home, { recursive: true, force: true });
    },
  };
}
