import { backfillWebhooks } from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { startReceiver, withStatus } from '../webhook-delivery/sending/receiver.fixture.ts';
import { createCustomer } from '../webhook-delivery/webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

test('whoever asks for a back-fill that is under way is told where its own end is, not that of now', async () => {
  const endpoint = await startReceiver(withStatus(503));
  onTestFinished(() => endpoint.close());
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  const queued = async (count: number) => {
    for (let n = 0; n < count; n += 1) await customer.queue();
  };
  const ask = async () =>
    (await customer.call(backfillWebhooks, { event: 'chatapp_voice', since: '2026-01-01T00:00:00Z' })).data;
  await queued(3);
  const begun = await ask();
  expect(begun).toMatchObject({ webhooks: 3, from_sequence: 1, to_sequence: 3, next_since: null });
  await queued(2);
  const following = (await customer.deliveries()).find(({ sequence }) => sequence === 4);
  expect(await ask()).toEqual({ ...begun, next_since: following?.created_at });
});
