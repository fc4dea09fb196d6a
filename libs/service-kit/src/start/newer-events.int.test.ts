import { randomBytes } from 'node:crypto';
import { events } from '@parley/contracts';
import { createPostgresEventStore } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import { createTestDatabase, startServiceCopies } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { serviceConfig } from '../config.ts';
import { notesService, takeNote } from '../notes-service.fixture.ts';
import { refuseNewerEvents } from './newer-events.ts';
import { startService } from './start-service.ts';

const older = [
  { type: 'Topped', version: 1 },
  { type: 'Paid', version: 2 },
];
const newer = [
  { type: 'Topped', version: 2 },
  { type: 'Paid', version: 2 },
  { type: 'Gifted', version: 1 },
];

async function openStore(connectionString: string) {
  const store = await createPostgresEventStore({ connectionString });
  onTestFinished(() => store.close());
  const record = (type: string, schemaVersion: number) =>
    store.append({
      streamId: 'balance-7',
      category: 'balance',
      accountId: 7,
      expectedVersion: 'any',
      events: [{ type, schemaVersion, data: {} }],
      metadata: {
        correlationId: 'c',
        causationId: 'c',
        commandId: null,
        actor: { kind: 'system', id: 't' },
        chainDepth: 0,
      },
    });
  return { store, record };
}

test.each([
  ['a newer version', 'Topped', 2],
  ['a type of its own', 'Gifted', 1],
])(
  'a release does not start again where a newer one has recorded %s; the newer one does',
  async (_, type, version) => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    const { store, record } = await openStore(url);
    await refuseNewerEvents(store.pool, older);
    await record('Topped', 1);
    await record('Paid', 2);
    await refuseNewerEvents(store.pool, newer);
    // Copies of both run side by side during an update.
    await record('Topped', 1);
    await refuseNewerEvents(store.pool, older);
    await record(type, version);
    await record('Paid', 2);
    await expect(refuseNewerEvents(store.pool, older)).rejects.toThrow(
      `${type} in version ${version}, first at position 4 `,
    );
    await refuseNewerEvents(store.pool, newer);
  },
);

test('a service notes what it records, and a copy that starts later refuses what is newer, while those that run go on', async () => {
  const DATABASE_PREFIX = `test_${randomBytes(6).toString('hex')}`;
  const copies = await startServiceCopies(notesService, 1, { DATABASE_PREFIX });
  onTestFinished(() => copies.close());
  const { rows } = await copies.pool.query('select type, version from es.event_versions');
  const own = events.filter(({ service }) => service === notesService.name);
  expect(new Set(rows.map(({ type, version }) => `${type} ${version}`))).toEqual(
    new Set(own.map(({ type, version }) => `${type} ${version}`)),
  );

  const config = serviceConfig.parse({
    DATABASE_URL: inject('postgresUrl'),
    DATABASE_PREFIX,
    NATS_URL: copies.natsUrl,
    SANDBOX: 'true',
  });
  const logger = createLogger({ service: notesService.name, level: 'silent' });
  const { record } = await openStore(copies.databaseUrl);
  await copies.pool.query(`insert into es.event_versions values ('FolderCreated', 99, 0)`);
  await (await startService(notesService, config, logger)).close();
  await record('FolderCreated', 99);
  await expect(startService(notesService, config, logger)).rejects.toThrow('FolderCreated in version 99');
  expect(await copies.ask(takeNote, { id: 1, text: 'x' }, { accountId: 7 })).toEqual({ text: 'x' });
});
