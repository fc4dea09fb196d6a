import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { clearPostgresRemains, hasWords, natsOf, postgresOf, stopLeftBehind } from './left-behind.ts';
import { identifyProcess, listProcesses, startToldByPs } from './running-processes.ts';

describe('a server that was left behind', () => {
  test('is known by its data directory on its command line, and by nothing less', () => {
    const { isMine } = postgresOf('/home/a/postgres');
    expect(isMine('/x/native/bin/postgres -D /home/a/postgres -p 5432')).toBe(true);
    expect(isMine('/x/native/bin/initdb --pgdata=/home/a/postgres.new --auth=scram-sha-256')).toBe(true);
    expect(isMine('/x/native/bin/postgres -D /home/a/postgres-2 -p 5432')).toBe(false);
    expect(isMine('vim /home/a/postgres')).toBe(false);
    expect(natsOf('/home/a/nats').isMine('/x/nats-server --port 1 --store_dir /home/a/nats')).toBe(true);
    expect(natsOf('/home/a/nats').isMine('/x/nats-server --port 1 --store_dir /home/b/nats')).toBe(false);
  });

  test('is stopped, with its neighbours left alone; what ignores the first signal gets the next', async () => {
    const mark = randomUUID();
    const script = "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)";
    const [mine, neighbour] = [mark, `${mark}-2`].map((word) =>
      spawn(process.execPath, ['-e', script, word], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    await Promise.all([mine, neighbour].map((child) => new Promise((up) => child?.stdout.once('data', up))));
    const ended = new Promise((resolve) => mine?.once('exit', (_code, signal) => resolve(signal)));
    const kind = {
      description: 'test',
      isMine: (line: string) => hasWords(line, mark),
      signals: ['SIGTERM', 'SIGKILL'] as const,
    };
    expect(await stopLeftBehind(kind, 100)).toBe(1);
    expect(await ended).toBe('SIGKILL');
    expect(neighbour?.exitCode).toBeNull();
    neighbour?.kill('SIGKILL');
  });
});

describe("Postgres's pid file and socket lock", () => {
  const pidFile = 'postmaster.pid';
  const socketLock = '.s.PGSQL.5432.lock';
  const children: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });
  async function newFolder(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'parley-pgdata-')));
    folders.push(folder);
    return folder;
  }
  async function lock(
    dataDir: string,
    pid: number | undefined,
    files = [pidFile, socketLock],
  ): Promise<void> {
    await Promise.all(files.map((name) => writeFile(join(dataDir, name), `${pid}\n${dataDir}\n`)));
  }
  async function postgresIn(folder: string): Promise<ChildProcess> {
    const child = spawn('sleep', ['60'], { argv0: 'postgres', cwd: folder });
    children.push(child);
    await once(child, 'spawn');
    return child;
  }

  test('go when their process is another program by now', async () => {
    const dataDir = await newFolder();
    await lock(dataDir, process.pid);
    await clearPostgresRemains(dataDir);
    expect(await readdir(dataDir)).toEqual([]);
    await clearPostgresRemains(dataDir);
  });

  test('go one without the other', async () => {
    const dataDir = await newFolder();
    await lock(dataDir, process.pid, [socketLock]);
    await clearPostgresRemains(dataDir);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'go when their process is the Postgres of another directory by now',
    async () => {
      const [dataDir, other] = [await newFolder(), await newFolder()];
      const postgres = await postgresIn(other);
      await lock(dataDir, postgres.pid);
      await clearPostgresRemains(dataDir);
      expect(await readdir(dataDir)).toEqual([]);
      expect(postgres.exitCode).toBeNull();
    },
  );

  test('stay while their Postgres lives', async () => {
    const dataDir = await newFolder();
    const postgres = await postgresIn(dataDir);
    await lock(dataDir, postgres.pid);
    const link = join(await newFolder(), 'link');
    await symlink(dataDir, link);
    for (const path of [dataDir, link]) await clearPostgresRemains(path, 100);
    expect(await readdir(dataDir)).toEqual([socketLock, pidFile]);
    expect(postgres.signalCode).toBeNull();
  });
});

test('there is nothing to clear in a data directory that is not there yet', async () => {
  await clearPostgresRemains(join(tmpdir(), randomUUID()));
});

test('a process is told from an earlier one with its id; a dead one has no identity', async () => {
  const identity = await identifyProcess(process.pid);
  expect(identity).toBeTruthy();
  expect(await identifyProcess(process.pid)).toBe(identity);
  expect(await identifyProcess(2 ** 22 - 1)).toBeUndefined();
  const self = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(self?.parentPid).toBe(process.ppid);
});

test('where `ps` tells when a process was started, that is the same from another time zone', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('TZ', 'UTC');
  const start = await startToldByPs(process.pid);
  expect(start).toBeTruthy();
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(await startToldByPs(process.pid)).toBe(start);
});
