import { randomUUID } from 'node:crypto';
import { backfillWebhooks, erasePerson, getErasure, redeliverWebhook } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { startReceiver, withStatus } from '../sending/receiver.fixture.ts';
import { createClockMover, createCustomer } from '../webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

test('nothing is sent about a person who was erased: not again, not when asked for, not by a back-fill, not late', async () => {
  const advance = createClockMover(copies);
  const receiver = await startReceiver();
  const customer = createCustomer(copies);
  await customer.setUrl(receiver.url);
  const other = await customer.queue({ customer_phone: '+4930901821' });
  const told = await customer.queue();
  await customer.settled(other, 'delivered');
  await customer.settled(told, 'delivered');
  receiver.answer = withStatus(503, { 'retry-after': '3600' });
  const waiting = await customer.queue();
  await customer.settled(waiting, 'pending', 1);
  receiver.answer = withStatus(200);
  const erasure = { erasure_id: randomUUID() };
  const person = { account_id: customer.accountId, phone_number: '+4930901820' };
  await copies.ask(erasePerson, { ...erasure, ...person });
  await eventually(async () => expect((await copies.ask(getErasure, erasure)).status).toBe('done'));
  await advance(3601);
  await customer.settled(waiting, 'cancelled', 1);
  expect(await copies.send(redeliverWebhook, { id: told }, customer.context)).toMatchObject({
    rejection: { code: 'webhook_erased' },
  });
  await customer.call(backfillWebhooks, { event: 'chatapp_voice', since: '2020-01-01T00:00:00Z' });
  await customer.settled(other, 'delivered', 2);
  await customer.settled(told, 'delivered', 1);
  // What waits to be queued meanwhile comes as the log gives it back by then.
  expect(await customer.queue({ customer_phone: 'erased:12' })).toBeNull();
  expect(receiver.received).toHaveLength(4);
  for (const { body } of receiver.received) expect(body).not.toContain('[erased]');
  await receiver.close();
});
