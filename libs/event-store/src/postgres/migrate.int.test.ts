import { readdir, readFile } from 'node:fs/promises';
import { createEmptyDatabase, eventually, startCuttingProxy, untilLockIsAwaited } from '@parley/testing';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from './migrate.ts';
import { newDatabase } from './testing.fixture.ts';

/** An empty database, another way to it on which everything can fall silent, and a session of somebody else's. */
async function start() {
  const url = await newDatabase(createEmptyDatabase);
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  const holdsTurn = async (): Promise<boolean> => {
    const { rowCount } = await other.query(
      `select from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rowCount === 1;
  };
  return { url, proxy, other, holdsTurn };
}

test('a copy that falls silent while it has its turn to migrate loses it to the next one', async () => {
  const { url, proxy, other, holdsTurn } = await start();
  await migrate(url);
  await other.query('begin; lock table es.migrations');
  const silent = migrate(proxy.url);
  const lost = expect(silent).rejects.toThrow('Query read timeout');
  await eventually(async () => expect(await holdsTurn()).toBe(true));
  proxy.goSilent();
  await other.query('commit');
  const next = migrate(url);
  await lost;
  await next;
});

test('a copy that waits for its turn to migrate fails when Postgres is gone without a word', async () => {
  const { proxy, other } = await start();
  await other.query('select pg_advisory_lock(7110563341)');
  const waiting = migrate(proxy.url);
  const failed = expect(waiting).rejects.toThrow('Query read timeout');
  await eventually(async () => {
    const { rowCount } = await other.query(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and query like '%pg_try_advisory_lock%'`,
    );
    expect(rowCount).toBe(1);
  });
  proxy.goSilent();
  await failed;
});

test('a release is migrated to while copies of the one before append', async () => {
  const { url, other } = await start();
  const folder = new URL('../../migrations/', import.meta.url);
  const earlier = (await readdir(folder)).sort().filter((file) => file < '0014');
  await other.query('create schema es; create table es.migrations (file text primary key)');
  for (const file of earlier) {
    await other.query(await readFile(new URL(file, folder), 'utf8'));
    await other.query('insert into es.migrations values ($1)', [file]);
  }
  await other.query('begin; select from es.events');
  const migrating = migrate(url);
  await untilLockIsAwaited(other);
  await other.query(
    `insert into es.events values (1, now(), 1, gen_random_uuid(), 1, 1, 'note-1', 'note', 'NoteTaken', '{}', '{}')`,
  );
  await other.query('commit');
  await migrating;
});
