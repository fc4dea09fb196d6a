import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { createTestDatabase } from './index.ts';

test('a test gets a database of its own on a real Postgres 18', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('show server_version_num');
  await client.end();
  await database.drop();
  expect(Number(rows[0].server_version_num)).toBeGreaterThanOrEqual(180_000);
  expect(inject('natsUrl')).toMatch(/^nats:/);
});
