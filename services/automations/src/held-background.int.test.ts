import { randomBytes } from 'node:crypto';
import {
  createAutomation,
  listAutomationRuns,
  receiveAutomationWebhook,
  updateAutomation,
} from '@parley/contracts';
import { createLogger, loadConfig } from '@parley/process-kit';
import { startService } from '@parley/service-kit';
import { eventually, type ServiceCopies, startOwnNats, startServiceCopies } from '@parley/testing';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { automationsService } from './automations-service.ts';
import { automationsConfig } from './config.ts';

const database = { DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}` };
const account = { accountId: 7 };

test('while background work is held no run takes a step, not even one that is ready; they go on afterwards', async () => {
  const held = await startServiceCopies(automationsService, 1, { ...database, HOLD_BACKGROUND: 'true' });
  onTestFinished(() => held.close());
  const flow = { trigger: { type: 'webhook.inbound' }, steps: [{ id: 'end', type: 'stop' }] };
  const { automation_id: id, webhook_url: url } = await ok(held, createAutomation, { name: 'Orders', flow });
  await ok(held, updateAutomation, { id, enabled: true });
  const request = { token: url.split('/').at(-1), headers: {}, body_base64: '' };
  for (let run = 0; run < 3; run += 1) await held.ask(receiveAutomationWebhook, request, account);
  expect(await statusesOf(held, id)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  await held.stop();

  const going = await startServiceCopies(automationsService, 1, database);
  onTestFinished(() => going.close());
  await eventually(async () =>
    expect(await statusesOf(going, id)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']),
  );
});

test('a copy that lets no run take a step says so when it starts', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  const logger = createLogger({ service: 'automations', level: 'silent' });
  const warn = vi.spyOn(logger, 'warn');
  const env = {
    DATABASE_URL: inject('postgresUrl'),
    NATS_URL: nats.url,
    MAX_CONCURRENT_RUNS: '0',
    ...database,
  };
  const copy = await startService(automationsService, loadConfig(automationsConfig, env), logger);
  onTestFinished(() => copy.close());
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/^MAX_CONCURRENT_RUNS is 0: /));
});

async function statusesOf(copies: ServiceCopies, id: string): Promise<string[]> {
  const runs = await ok(copies, listAutomationRuns, { id });
  return runs.runs.map(({ status }: { status: string }) => status);
}

async function ok(copies: ServiceCopies, message: Parameters<ServiceCopies['send']>[0], payload: object) {
  const reply = await copies.send(message, payload, account);
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body);
}
