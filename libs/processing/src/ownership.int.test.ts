import { Socket } from 'node:net';
import { createTestDatabase, eventually } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createOwnershipKeeper } from './ownership.ts';

const setUp = 'set idle_session_timeout';

/** A connection on which Postgres does not understand how a session is set up; it goes on otherwise. */
function spoilingSocket(): Socket {
  const socket = new Socket();
  const write = socket.write.bind(socket);
  // Connecting sets `write` back.
  socket.once('connect', () => {
    socket.write = (data: string | Uint8Array, ...rest: never[]) => {
      const bytes = Buffer.from(data);
      const at = bytes.indexOf(setUp);
      if (at >= 0) bytes.write('???', at);
      return write(bytes, ...rest);
    };
  });
  return socket;
}

test('a session that cannot be set up is closed, and the next one is all there is', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  let opened = 0;
  const stream = () => {
    opened += 1;
    return opened === 1 ? spoilingSocket() : new Socket();
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
