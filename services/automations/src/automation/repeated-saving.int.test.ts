import { randomUUID } from 'node:crypto';
import { createAutomation, deleteAutomation, updateAutomation } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { automationsService } from '../automations-service.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(automationsService, 1);
});
afterAll(() => copies?.close());

const flow = { trigger: { type: 'webhook.inbound' }, steps: [{ id: 'end', type: 'stop' }] };
const bodyOf = (reply: BusReply): string => (reply.kind === 'ok' ? reply.body : JSON.stringify(reply));

/** A request with a key, however often and at whatever address of ours it is made. */
const keyed = (message: typeof createAutomation | typeof updateAutomation, payload: object) => {
  const context = { accountId: 7, commandId: randomUUID(), fingerprint: 'of the body' };
  return async (baseUrl: string) => bodyOf(await copies.send(message, payload, { ...context, baseUrl }));
};

test('a repeated creation or change is answered with the same address, by whatever address it comes', async () => {
  const create = keyed(createAutomation, { name: 'Orders', flow });
  const created = await create('https://one.example');
  const { automation_id: automationId, ...shown } = JSON.parse(created);
  expect(Object.keys(shown)).toEqual(['status', 'message', 'webhook_url']);
  expect(shown.webhook_url).toMatch(/^https:\/\/one\.example\/hooks\/automations\//);
  const change = keyed(updateAutomation, { id: automationId, name: 'All orders' });
  const changed = await change('https://two.example');
  expect(JSON.parse(changed).webhook_url).toMatch(/^https:\/\/two\.example\/hooks\/automations\//);
  expect(await create('https://three.example')).toBe(created);
  expect(await change('https://three.example')).toBe(changed);

  // The secret is gone with the automation, and was in no stored answer.
  await copies.send(deleteAutomation, { id: automationId }, { accountId: 7 });
  expect(JSON.parse(await create('https://one.example'))).toEqual({
    ...JSON.parse(created),
    webhook_url: null,
  });
});

test('an answer of before the address was kept is completed with that of the repetition', async () => {
  const create = keyed(createAutomation, { name: 'Orders', flow });
  const created = await create('https://one.example');
  await copies.pool.query(`update es.commands set reply = regexp_replace(reply, ',"base_url":"[^"]*"', '')`);
  expect(await create('https://two.example')).toBe(created.replace('one', 'two'));
});
