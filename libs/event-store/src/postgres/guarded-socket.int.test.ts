import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { GuardedSocket } from './session.ts';
import { newDatabase, openStore } from './testing.fixture.ts';

/** The driver asks for it while it reads, outside of everything that a query's promise covers. */
const failingTypes: pg.CustomTypesConfig = {
  getTypeParser() {
    throw new RangeError('Cannot create a string longer than 0x1fffffe8 characters');
  },
};

test('an answer that cannot be read fails its query and nothing else', async () => {
  const connectionString = await newDatabase();
  const pool = new pg.Pool({ connectionString, stream: () => new GuardedSocket(), types: failingTypes });
  onTestFinished(() => pool.end());
  await expect(pool.query('select 1 as one')).rejects.toThrow('Cannot create a string');
  await expect(pool.query('select 2 as two')).rejects.toThrow('Cannot create a string');
});

test('a store reads over such sockets', async () => {
  const { pool } = await openStore(await newDatabase());
  const client = await pool.connect();
  onTestFinished(() => client.release());
  expect(Reflect.get(client, 'connection').stream).toBeInstanceOf(GuardedSocket);
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
