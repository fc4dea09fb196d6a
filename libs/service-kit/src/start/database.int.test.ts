import { createTestDatabase, listen } from '@parley/testing';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ensureDatabase } from './database.ts';

test('a service that starts while Postgres hangs fails to start, instead of waiting for ever', async () => {
  const { port } = await listen(() => undefined);
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  await expect(ensureDatabase(url, 'never_made')).rejects.toThrow('timeout');
});

test('a service that Postgres does not let in says that it is Postgres, where, and why', async () => {
  const { url } = await createGuest();
  const wrong = Object.assign(new URL(url), { password: 'secret' });
  const refused = ensureDatabase(wrong.href, wrong.pathname.slice(1));
  await expect(refused).rejects.toThrow(
    `Postgres at ${wrong.host} takes no connection: password authentication failed for user`,
  );
  // What the machine says is shown without a stack.
  await expect(refused).rejects.toMatchObject({ code: '28P01' });
});

/** A role that owns nothing, in a database of its own. */
async function createGuest() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const admin = new pg.Client({ connectionString: url });
  onTestFinished(() => admin.end());
  await admin.connect();
  const role = `guest_${Date.now()}`;
  await admin.query(`create role ${role} login password 'it,s'`);
  onTestFinished(async () => void (await admin.query(`drop role ${role}`)));
  const asGuest = Object.assign(new URL(url), { username: role, password: 'it,s' });
  return { admin, role, url: asGuest.href, database: asGuest.pathname.slice(1) };
}

test('a database that was made beforehand in another encoding is refused, before anything is written to it', async () => {
  const { admin, role } = await createGuest();
  const database = `${role}_latin`;
  await admin.query(`create database ${database} template template0 encoding 'LATIN1'`);
  onTestFinished(async () => void (await admin.query(`drop database ${database} with (force)`)));
  await expect(ensureDatabase(inject('postgresUrl'), database)).rejects.toThrow(
    `The database ${database} is in LATIN1, which cannot hold every text.`,
  );
});

test('a role that may not make the database of a service is told which one, and what helps', async () => {
  const { role, url } = await createGuest();
  await expect(ensureDatabase(url, `${role}_notes`)).rejects.toThrow(
    `DATABASE_URL names a role that may not make the database ${role}_notes`,
  );
});

test('a role that may not connect to where it would make the database is told so', async () => {
  const { admin, database, role, url } = await createGuest();
  await admin.query(`revoke connect on database ${database} from public`);
  await expect(ensureDatabase(url, `${role}_notes`)).rejects.toThrow(
    `(permission denied for database "${database}").`,
  );
});
