import { randomBytes } from 'node:crypto';
import {
  createAutomation,
  listAutomationRuns,
  receiveAutomationWebhook,
  updateAutomation,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationsService } from './automations-service.ts';

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

async function statusesOf(copies: ServiceCopies, id: string): Promise<string[]> {
  const runs = await ok(copies, listAutomationRuns, { id });
  return runs.runs.map(({ status }: { status: string }) => status);
}

async function ok(copies: ServiceCopies, message: Parameters<ServiceCopies['send']>[0], payload: object) {
  const reply = await copies.send(message, payload, account);
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body);
}
