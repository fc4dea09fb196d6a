import { backfillWebhooks } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { busy, startReceiver, withStatus } from '../webhook-delivery/sending/receiver.fixture.ts';
import { createCustomer } from '../webhook-delivery/webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

const since = '2026-01-01T00:00:00Z';

test('whoever asks for a back-fill that is under way is told where its own end is, not that of now', async () => {
  // It has not answered yet.
  const endpoint = await startReceiver(() => undefined);
  onTestFinished(() => endpoint.close());
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  const queued = async (count: number) => {
    for (let n = 0; n < count; n += 1) await customer.queue();
  };
  const ask = async () => (await customer.call(backfillWebhooks, { event: 'chatapp_voice', since })).data;
  await queued(3);
  const begun = await ask();
  expect(begun).toMatchObject({ webhooks: 3, from_sequence: 1, to_sequence: 3, next_since: null });
  await queued(2);
  const following = (await customer.deliveries()).find(({ sequence }) => sequence === 4);
  expect(await ask()).toEqual({ ...begun, next_since: following?.created_at });
});

test('a back-fill may be had again while one of its webhooks, which was refused, waits for its next try', async () => {
  const endpoint = await startReceiver();
  onTestFinished(() => endpoint.close());
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  const arrived = await customer.queue();
  await customer.settled(arrived, 'delivered', 1);
  endpoint.answer = (webhook, response) =>
    (webhook.id === arrived ? withStatus(200) : busy)(webhook, response);
  await customer.tried(await customer.queue());
  const begun = new Set<string | null>();
  for (const times of [1, 2, 3]) {
    // Over as soon as all of them are handed on, which may be a moment after they have arrived.
    await eventually(async () => {
      const { data } = await customer.call(backfillWebhooks, { event: 'chatapp_voice', since });
      expect(begun.add(data.backfill_id).size).toBe(times);
    });
    await customer.settled(arrived, 'delivered', 1 + times);
  }
});

test('once its endpoint is well again, a back-fill has what waits for its next try go at once', async () => {
  const endpoint = await startReceiver(busy);
  onTestFinished(() => endpoint.close());
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  const waiting = await customer.queue();
  await customer.tried(waiting);
  endpoint.answer = withStatus(200);
  await customer.call(backfillWebhooks, { event: 'chatapp_voice', since });
  await customer.settled(waiting, 'delivered', 2);
});
