import { randomBytes } from 'node:crypto';
import { findFreePort } from '@parley/embedded-servers';
import { createLogger } from '@parley/process-kit';
import { eventually, startCuttingProxy, startOwnNats } from '@parley/testing';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { serviceConfig } from '../config.ts';
import { notesService } from '../notes-service.fixture.ts';
import { startService } from './start-service.ts';

/** A copy of a service whose database can be taken away, and what its log says from warnings on, and of the end. */
async function startCopy() {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  const logger = createLogger({ service: 'notes', level: 'silent' });
  const told: string[] = [];
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(logger, level).mockImplementation((_: unknown, sentence?: string) => {
      if (sentence) told.push(`${level}: ${sentence}`);
    });
  const debug = vi.spyOn(logger, 'debug');
  const config = serviceConfig.parse({
    DATABASE_URL: proxy.url,
    DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}`,
    NATS_URL: nats.url,
  });
  const copy = await startService({ ...notesService, background: () => ({}) }, config, logger);
  onTestFinished(() => copy.close());
  told.length = 0;
  return { proxy, told, debug };
}

test('an outage of the database is told when it begins and when it is over, and not by each thing that it stops', async () => {
  const { proxy, told, debug } = await startCopy();
  proxy.newOnesLeadTo(`postgres://127.0.0.1:${await findFreePort()}/`);
  proxy.loseAll();
  await eventually(() => expect(debug.mock.calls.length).toBeGreaterThan(10));
  expect(told).toEqual([
    expect.stringMatching(/^warn: (background work failed|.* failed in the background)$/),
  ]);
  proxy.newOnesLeadTo(inject('postgresUrl'));
  await eventually(() => expect(told.slice(1)).toEqual(['info: the database answers again']));
});
