import { randomBytes } from 'node:crypto';
import { createLogger } from '@parley/process-kit';
import { eventually } from '@parley/testing';
import pg from 'pg';
import { expect, inject, test, vi } from 'vitest';
import { serviceConfig } from '../config.ts';
import { notesService } from '../notes-service.fixture.ts';
import { ensureDatabase } from './database.ts';
import { startService } from './start-service.ts';

test('a copy says that it gets on with its start while the log is brought to its release, however long that takes', async () => {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const config = serviceConfig.parse({
    DATABASE_URL: inject('postgresUrl'),
    DATABASE_PREFIX: prefix,
    NATS_URL: inject('natsUrl'),
  });
  const logger = createLogger({ service: 'assistants', level: 'silent' });
  await (await startService(notesService, config, logger)).close();
  const database = new pg.Client(
    await ensureDatabase(config.DATABASE_URL.reveal(), `${prefix}_${notesService.name}`),
  );
  await database.connect();
  // As an index of a large log is made: for longer than anything else of a start may take.
  await database.query(`delete from es.migrations where file = '0016-traces-by-one-index.sql'`);
  await database.query('create index events_by_request on es.events (type)');
  await database.query('begin; lock table es.events in share mode');
  const onProgress = vi.fn();
  const starting = startService(notesService, config, logger, onProgress);
  const told = eventually(async () => expect(onProgress.mock.calls.length).toBeGreaterThan(1));
  await told.finally(() => database.query('commit'));
  await database.end();
  await (await starting).close();
});
