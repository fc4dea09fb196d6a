import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clearPostgresRemains, hasWords, natsOf, postgresOf, stopLeftBehind } from './left-behind.ts';
import { identifyProcess, listProcesses } from './running-processes.ts';

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

test("Postgres's pid file and socket lock go when their process is another program by now, and stay while it may be right", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-pgdata-'));
  const file = join(dataDir, 'postmaster.pid');
  await writeFile(file, `${process.pid}\n${dataDir}\n`);
  await writeFile(join(dataDir, '.s.PGSQL.5432.lock'), `${process.pid}\n`);
  await clearPostgresRemains(dataDir);
  expect(await readdir(dataDir)).toEqual([]);
  await clearPostgresRemains(dataDir);
  await rm(dataDir, { recursive: true });
});

test('a process is told from an earlier one with its id; a dead one has no identity', async () => {
  const identity = await identifyProcess(process.pid);
  expect(identity).toBeTruthy();
  expect(await identifyProcess(process.pid)).toBe(identity);
  expect(await identifyProcess(2 ** 22 - 1)).toBeUndefined();
  const self = (await listProcesses()).find(({ pid }) => pid === process.pid);
  expect(self?.parentPid).toBe(process.ppid);
});
