import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type Answer, startReceiver } from './receiver.fixture.ts';
import { createCustomer } from './webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

const receiver = async (answer?: Answer) => {
  const started = await startReceiver(answer);
  onTestFinished(() => started.close());
  return started;
};

test('a webhook arrives, signed so that the library of the standard verifies it', async () => {
  const endpoint = await receiver();
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  const id = await customer.queue({ customer_phone: '+4930901821' });
  await customer.settled(id, 'delivered', 1);
  const [webhook] = endpoint.received;
  if (!webhook) throw new Error('Nothing arrived.');
  const verified = new Webhook(await customer.secret()).verify(webhook.body, { ...webhook.headers } as Record<
    string,
    string
  >);
  expect(verified).toMatchObject({ event: 'chatapp_voice', sequence: 1, customer_phone: '+4930901821' });
});
