import { randomBytes } from 'node:crypto';
import { findFreePort } from '@parley/embedded-servers';
import { setClockOffset } from '@parley/event-store';
import { createLogger } from '@parley/process-kit';
import { eventually, startOwnNats } from '@parley/testing';
import pg from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { serviceConfig } from '../config.ts';
import { notesService } from '../notes-service.fixture.ts';
import { ensureDatabase } from './database.ts';
import { startService } from './start-service.ts';

const logger = createLogger({ service: 'assistants', level: 'silent' });

const configOf = (natsUrl: string, env: Readonly<Record<string, string>> = {}) =>
  serviceConfig.parse({
    DATABASE_URL: inject('postgresUrl'),
    DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}`,
    NATS_URL: natsUrl,
    ...env,
  });

test('a service does not start on the NATS of another installation whose copies run there; its own further copies do', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const ours = configOf(nats.url);
  const theirs = configOf(nats.url);
  const first = await startService(notesService, ours, logger);
  await expect(startService(notesService, theirs, logger)).rejects.toThrow(
    'NATS_URL leads to where copies of assistants run that have another database',
  );
  const second = await startService(notesService, ours, logger);
  await first.close();
  await expect(startService(notesService, theirs, logger)).rejects.toThrow('another database');
  await second.close();
  await (await startService(notesService, theirs, logger)).close();
});

test('a service does not start without a sandbox on a database whose clock one has moved', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const config = configOf(nats.url);
  await (await startService(notesService, config, logger)).close();
  const url = await ensureDatabase(
    config.DATABASE_URL.reveal(),
    `${config.DATABASE_PREFIX}_${notesService.name}`,
  );
  const database = new pg.Client(url);
  await database.connect();
  const setClock = (seconds: number) => setClockOffset({ query: (query) => database.query(query) }, seconds);
  await setClock(86_400);
  await expect(startService(notesService, config, logger)).rejects.toThrow('86400 seconds ahead');
  await (await startService(notesService, { ...config, SANDBOX: true }, logger)).close();
  await setClock(0);
  await database.end();
  await (await startService(notesService, config, logger)).close();
});

test('a copy says that it gets on with its start while the log is brought to its release, however long that takes, and is alive but not ready', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const port = await findFreePort();
  const config = configOf(nats.url, { HEALTH_PORT: String(port) });
  const healthOf = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/health/${path}`);
    return [response.status, await response.json()];
  };
  await (await startService(notesService, config, logger)).close();
  const database = new pg.Client(
    await ensureDatabase(config.DATABASE_URL.reveal(), `${config.DATABASE_PREFIX}_${notesService.name}`),
  );
  await database.connect();
  // As an index of a large log is made: for longer than anything else of a start may take.
  await database.query(`delete from es.migrations where file = '0016-traces-by-one-index.sql'`);
  await database.query('create index events_by_request on es.events (type)');
  await database.query('begin; lock table es.events in share mode');
  const onProgress = vi.fn();
  const starting = startService(notesService, config, logger, onProgress);
  const told = eventually(async () => expect(onProgress.mock.calls.length).toBeGreaterThan(1));
  const healthOfStarting = told.then(() => Promise.all([healthOf('live'), healthOf('ready')]));
  await healthOfStarting.catch(() => undefined).finally(() => database.query('commit'));
  await database.end();
  const copy = await starting;
  expect(await healthOfStarting).toEqual([
    [200, { status: 'live' }],
    [503, { status: 'starting', checks: {} }],
  ]);
  expect(await healthOf('ready')).toEqual([
    200,
    { status: 'ready', checks: { database: 'reachable', bus: 'reachable' } },
  ]);
  await copy.close();
});

test('a service that is not ready says that it is the bus which is away', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const port = await findFreePort();
  const copy = await startService(notesService, configOf(nats.url, { HEALTH_PORT: String(port) }), logger);
  onTestFinished(() => copy.close());
  await nats.kill();
  await eventually(async () =>
    expect(await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()).toEqual({
      status: 'unavailable',
      checks: { database: 'reachable', bus: 'unreachable' },
    }),
  );
});
