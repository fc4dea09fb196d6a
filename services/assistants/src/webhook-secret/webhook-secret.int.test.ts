import { randomUUID } from 'node:crypto';
import { getWebhookSecret, rotateWebhookSecret } from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type ReceivedWebhook, receiver, verify } from '../webhook-delivery/sending/receiver.fixture.ts';
import { createCustomer } from '../webhook-delivery/webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

describe('the secret', () => {
  test('is the same over copies, and another for each account', async () => {
    const customer = createCustomer(copies);
    const secrets = await Promise.all(Array.from({ length: 16 }, () => customer.secret()));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await createCustomer(copies).secret()).not.toBe(secrets[0]);
  });

  test('is two while it is being rotated: webhooks carry a signature of each', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const old = await customer.secret();
    const { message, data } = await customer.call(rotateWebhookSecret, {});
    expect(message).toBe('Webhook secret rotated successfully');
    expect(data.secret).not.toBe(old);
    expect(data.previous_secret).toBe(old);
    expect((await customer.call(getWebhookSecret, {})).data).toEqual(data);
    await customer.settled(await customer.queue(), 'delivered');
    const [webhook] = endpoint.received as [ReceivedWebhook];
    for (const secret of [old, data.secret]) expect(() => verify(secret, webhook)).not.toThrow();
  });

  test('is rotated once by one command, and the repeated answer has the same bytes', async () => {
    const customer = createCustomer(copies);
    await customer.secret();
    const context = { ...customer.context, commandId: randomUUID(), fingerprint: 'f'.repeat(64) };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => copies.send(rotateWebhookSecret, {}, context)),
    );
    expect(
      new Set(replies.map((reply) => (reply.kind === 'ok' ? reply.body : reply.rejection.code))).size,
    ).toBe(1);
    const again = await copies.send(rotateWebhookSecret, {}, context);
    expect(again).toMatchObject({
      kind: 'ok',
      replayed: true,
      body: replies[0]?.kind === 'ok' ? replies[0].body : '',
    });
  });

  test('is in no event, in no stored answer and in no view', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    await customer.secret();
    await customer.call(rotateWebhookSecret, {});
    await customer.settled(await customer.queue(), 'delivered');
    const { rows } = await copies.pool.query(`
      select 1 from es.events where data::text like '%whsec%' or metadata::text like '%whsec%'
      union all select 1 from es.commands where reply like '%whsec%'
      union all select 1 from es.timers where payload::text like '%whsec%'
      union all select 1 from view_webhook_deliveries_v4.items where body like '%whsec%'`);
    expect(rows).toEqual([]);
  });
});
