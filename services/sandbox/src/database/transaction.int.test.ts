import { createEmptyDatabase } from '@parley/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from './transaction.ts';

let pool: pg.Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createEmptyDatabase();
  drop = database.drop;
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await drop();
});

test('a transaction whose connection is lost between two statements fails, and nothing else does', async () => {
  const lost = inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const gone = new Promise((resolve) => client.once('end', resolve));
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await gone;
  });
  await expect(lost).rejects.toThrow();
  expect(await inTransaction(pool, async (client) => (await client.query('select 1')).rowCount)).toBe(1);
});
