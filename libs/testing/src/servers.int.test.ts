import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from './index.ts';

async function ask(create: typeof createTestDatabase, question: string): Promise<unknown> {
  const database = await create();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ answer: unknown }>(question);
  await client.end();
  await database.drop();
  return rows[0]?.answer;
}

test('a test gets a database of its own on a real Postgres 18', async () => {
  const version = await ask(createTestDatabase, `select current_setting('server_version_num') as answer`);
  expect(Number(version)).toBeGreaterThanOrEqual(180_000);
  expect(inject('natsUrl')).toMatch(/^nats:/);
});

test('the schema of the event store is in it, and not in an empty one', async () => {
  const question = `select to_regclass('es.events') is not null as answer`;
  expect(await ask(createTestDatabase, question)).toBe(true);
  expect(await ask(createEmptyDatabase, question)).toBe(false);
});
