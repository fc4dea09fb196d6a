import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { readRowsOf } from '../support/database.ts';
import { reportFigure } from '../support/figures.ts';
import { runParley } from '../support/run-parley.ts';

const run = promisify(execFile);
const commands = 1_000;
const clients = 16;
const diskMb = 900;
const fullForMs = 10_000;
/** Only root may mount a small disk. */
const isRoot = process.getuid?.() === 0;

let disk: string;
let stack: RunningStack;

beforeAll(async () => {
  if (!isRoot) return;
  disk = await mkdtemp(join(tmpdir(), 'parley-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', disk]);
  await chmod(disk, 0o755);
  stack = await startStack({ home: disk, copies: { gateway: 2, assistants: 2 } });
});

afterAll(async () => {
  if (!isRoot) return;
  await stack?.stop();
  await run('umount', [disk]);
  await rm(disk, { recursive: true, force: true });
});

/** Takes all that is left, until it is removed. */
async function fillDisk(): Promise<() => Promise<void>> {
  const ballast = join(disk, 'ballast');
  const file = await open(ballast, 'w');
  const block = Buffer.alloc(1 << 20);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    expect(Object(error).code).toBe('ENOSPC');
  } finally {
    await file.close();
  }
  expect((await statfs(disk)).bavail).toBe(0);
  return () => rm(ballast);
}

/** Postgres keeps some of its log ready: what is written goes there until the next file is needed. */
async function useUpWal(client: pg.Client): Promise<void> {
  const fill = async () => {
    for (let n = 0; n < 200; n += 1) {
      await client.query('create table if not exists wal_filler (n int)');
      await client.query('insert into wal_filler values (1)');
      await client.query('select pg_switch_wal()');
    }
  };
  await expect(fill()).rejects.toThrow();
  await client.end().catch(() => undefined);
}

test.runIf(isRoot)(
  `A9: a disk that is full for a while during ${commands} commands costs no acknowledged one and needs no repair`,
  async () => {
    const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
    const account = await registerTestAccount(bus);
    await bus.close();
    const apis = stack.gatewayUrls.map((url) => createApi(url, account.key));
    const passing = new Map<string, number>();
    const forbidden: string[] = [];
    let acknowledged = 0;
    let started = 0;
    let isFull = false;
    let isOver = false;
    let refusedWhileFull = 0;
    const create = async (name: string): Promise<void> => {
      const headers = { 'idempotency-key': randomUUID() };
      for (let n = 0; ; n += 1) {
        const answer = await apis[n % 2]?.post('/api/user/folder', { name }, headers);
        if (answer?.status === 201) break;
        const status = String(answer?.status);
        passing.set(status, (passing.get(status) ?? 0) + 1);
        if (isFull) refusedWhileFull += 1;
        const isExpected = status === '409' || (status === '503' && answer?.headers['retry-after']);
        if (!isExpected) forbidden.push(`${status} ${answer?.text}`);
        await sleep(250);
      }
      acknowledged += 1;
    };
    const working = Promise.all(
      Array.from({ length: clients }, async () => {
        while (started < commands || !isOver) await create(`Folder ${started++}`);
      }),
    );
    await eventually(() => expect(acknowledged).toBeGreaterThan(commands / 5), 60_000);
    // A full disk lets nobody in any more.
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    const free = await fillDisk();
    isFull = true;
    await useUpWal(client);
    await eventually(() => expect(refusedWhileFull).toBeGreaterThan(0), 60_000);
    await sleep(fullForMs);
    await free();
    isFull = false;
    const freedAt = performance.now();
    const before = acknowledged;
    await eventually(() => expect(acknowledged).toBeGreaterThan(before), 60_000);
    const recoveredMs = performance.now() - freedAt;
    isOver = true;
    await working;

    const rows = await readRowsOf<{ times: string }>(
      stack.databaseUrl,
      'assistants',
      `select count(*) as times from es.events where account_id = ${account.id} and type = 'FolderCreated'
       group by data->>'name'`,
    );
    const verification = await runParley(['verify'], { PARLEY_HOME: disk });
    reportFigure(
      'A9',
      `${rows.length} of ${acknowledged} acknowledged there once; while full ${[...passing].map(([status, times]) => `${status} ${times} times`).join(', ')}; served again ${recoveredMs.toFixed(0)} ms after there was room; verify ends with ${verification.code}`,
    );
    expect(rows.map(({ times }) => times)).toEqual(Array(started).fill('1'));
    expect(forbidden).toEqual([]);
    expect(verification.code, verification.stdout).toBe(0);
  },
);

test.skipIf(isRoot)('A9 needs root, who may mount a small disk', () => {
  reportFigure('A9', 'not run: only root may mount a small disk');
});
