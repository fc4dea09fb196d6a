import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startTlsProxy } from '../connection/tls-proxy.fixture.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';

/** The driver asks for it while it reads, outside of everything that a query's promise covers. */
const types: pg.CustomTypesConfig = {
  getTypeParser() {
    throw new RangeError('Cannot create a string longer than 0x1fffffe8 characters');
  },
};

test.each(['bare', 'within TLS'])(
  'an answer that cannot be read fails its query and nothing else: %s',
  async (how) => {
    const url = await newDatabase();
    const { pool } = await openStore(how === 'bare' ? url : await startTlsProxy(url));
    const client = await pool.connect();
    onTestFinished(() => client.release());
    expect(client instanceof pg.Client && client.connection.stream instanceof TLSSocket).toBe(how !== 'bare');
    for (let n = 0; n < 2; n += 1)
      await expect(pool.query({ text: 'select 1 as one', types })).rejects.toThrow('Cannot create a string');
    expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
  },
);
