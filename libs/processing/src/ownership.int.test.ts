import { Socket } from 'node:net';
import { createTestDatabase, eventually } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createOwnershipKeeper } from './ownership.ts';

const setUp = 'set idle_session_timeout';

/** A connection whose bytes are seen, and may be changed, before they are sent. */
function tappedSocket(onSend: (bytes: Buffer) => void): Socket {
  const socket = new Socket();
  const write = socket.write.bind(socket);
  // Connecting sets `write` back.
  socket.once('connect', () => {
    socket.write = (data: string | Uint8Array, ...rest: never[]) => {
      const bytes = Buffer.from(data);
      onSend(bytes);
      return write(bytes, ...rest);
    };
  });
  return socket;
}

/** Postgres does not understand how a session is set up; all else goes on. */
function spoilSetUp(bytes: Buffer): void {
  const at = bytes.indexOf(setUp);
  if (at >= 0) bytes.write('???', at);
}

test('a session that cannot be set up is closed, and the next one is all there is', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  let opened = 0;
  const stream = () => {
    opened += 1;
    return opened === 1 ? tappedSocket(spoilSetUp) : new Socket();
  };
  const pool = new pg.Pool({ connectionString: url, stream });
  onTestFinished(() => pool.end());
  const keeper = createOwnershipKeeper(pool);
  onTestFinished(() => keeper.close());
  await expect(keeper.tryAcquire('a')).rejects.toThrow('syntax error');
  expect(await keeper.tryAcquire('a')).toBeDefined();
  await eventually(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where application_name = 'parley:owner' and datname = current_database()`,
    );
    expect(rowCount).toBe(1);
  });
});

test('all that a process waits for is asked for in one query, and is its own once it is free', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const names = ['first', 'second', 'third'];
  const asked: string[][] = [];
  const stream = () =>
    tappedSocket((bytes) => {
      const found = names.filter((name) => bytes.includes(name));
      if (found.length > 0) asked.push(found);
    });
  const ownerPool = new pg.Pool({ connectionString: url });
  const waiterPool = new pg.Pool({ connectionString: url, stream });
  onTestFinished(() => Promise.all([ownerPool.end(), waiterPool.end()]).then(() => undefined));
  const owner = createOwnershipKeeper(ownerPool);
  const waiter = createOwnershipKeeper(waiterPool);
  onTestFinished(() => Promise.all([owner.close(), waiter.close()]).then(() => undefined));
  const { signal } = new AbortController();

  const owned = await Promise.all(names.map((name) => owner.acquire(name, signal)));
  const waiting = Promise.all(names.map((name) => waiter.acquire(name, signal)));
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3);
  expect(asked.slice(0, 3)).toEqual([names, names, names]);

  await Promise.all(owned.map((ownership) => ownership.release()));
  await waiting;
  expect(await Promise.all(names.map((name) => owner.tryAcquire(name)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

/** Postgres gives the first of the names that are asked for, and fails at the second. */
function spoilSecondName(bytes: Buffer): void {
  const [whole, spoilt] = ['(name, 0)) as locked\n          ', '(name, 0/(2-place))) as locked\n'];
  const at = bytes.indexOf(whole);
  if (at >= 0) bytes.write(spoilt.padEnd(whole.length), at);
}

test('what was locked by a question that failed is free again for all', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const stream = () => tappedSocket(spoilSecondName);
  const failingPool = new pg.Pool({ connectionString: url, stream });
  const otherPool = new pg.Pool({ connectionString: url });
  onTestFinished(() => Promise.all([failingPool.end(), otherPool.end()]).then(() => undefined));
  const failing = createOwnershipKeeper(failingPool);
  const other = createOwnershipKeeper(otherPool);
  onTestFinished(() => Promise.all([failing.close(), other.close()]).then(() => undefined));

  const failed = await Promise.allSettled(['first', 'second'].map((name) => failing.tryAcquire(name)));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await eventually(async () => expect(await other.tryAcquire('first')).toBeDefined());
});
