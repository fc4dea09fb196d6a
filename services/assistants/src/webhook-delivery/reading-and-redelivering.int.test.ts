import { randomUUID } from 'node:crypto';
import { listWebhookDeliveries, redeliverWebhook } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { receiver } from './sending/receiver.fixture.ts';
import { createCustomer } from './webhooks.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

describe('the list', () => {
  test('goes back page by page, newest first, and knows where it ends', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const ids: (string | null)[] = [];
    for (let count = 0; count < 7; count += 1) ids.unshift(await customer.queue());
    const seen: string[] = [];
    let cursor: string | null = null;
    const sizes: number[] = [];
    do {
      const page: { data: readonly { id: string }[]; next_cursor: string | null } = await customer.call(
        listWebhookDeliveries,
        { per_page: 3, ...(cursor === null ? {} : { cursor }) },
      );
      seen.push(...page.data.map(({ id }) => id));
      sizes.push(page.data.length);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    expect(sizes).toEqual([3, 3, 1]);
  });

  test('is narrowed by event, status and assistant', async () => {
    const customer = createCustomer(copies);
    await customer.setUrl('http://127.0.0.1:1/');
    const id = await customer.queue();
    const idsOf = async (filter: object) => (await customer.deliveries(filter)).map((item) => item.id);
    expect(await idsOf({ event: 'chatapp_voice', status: 'pending' })).toEqual([id]);
    expect(await idsOf({ event: 'post_call' })).toEqual([]);
    expect(await idsOf({ status: 'delivered' })).toEqual([]);
    expect(await idsOf({ assistant_id: 12 })).toEqual([]);
  });

  test('shows nothing of another account, and refuses a cursor that it never gave', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    await customer.queue();
    const other = createCustomer(copies);
    expect(await other.deliveries()).toEqual([]);
    expect(await copies.send(listWebhookDeliveries, { cursor: 'p7' }, other.context)).toMatchObject({
      rejection: { code: 'invalid', fields: { cursor: [expect.any(String)] } },
    });
  });
});

describe('sending again', () => {
  test('goes to the URL of now with the same id and the same bytes', async () => {
    const [first, second] = [await receiver(), await receiver()];
    const customer = createCustomer(copies);
    await customer.setUrl(first.url);
    const id = await customer.queue();
    await customer.settled(id, 'delivered');
    await customer.setUrl(second.url);
    const { message, data } = await customer.call(redeliverWebhook, { id });
    expect(message).toBe('Webhook is being sent again');
    expect(data).toMatchObject({ id, status: 'pending', url: second.url });
    const item = await customer.settled(id, 'delivered', 2);
    expect(item.url).toBe(second.url);
    expect(second.received[0]).toMatchObject({ id, body: first.received[0]?.body });
  });

  test('is not settled by what comes of an attempt that was under way to an earlier URL', async () => {
    let finish = () => {};
    const old = await receiver((_, response) => {
      finish = () => response.writeHead(200).end();
    });
    const customer = createCustomer(copies);
    await customer.setUrl(old.url);
    const id = await customer.queue();
    await eventually(() => expect(old.received).toHaveLength(1));
    const next = await receiver();
    await customer.setUrl(next.url);
    await customer.call(redeliverWebhook, { id });
    finish();
    await eventually(() => expect(next.received).toHaveLength(1));
    const item = await customer.settled(id, 'delivered', 2);
    expect(item.url).toBe(next.url);
    expect(next.received[0]).toMatchObject({ id, body: old.received[0]?.body });
  });

  test('is refused while the webhook is off, and for what is not there', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const id = await customer.queue();
    await customer.settled(id, 'delivered');
    const other = createCustomer(copies);
    await other.setUrl(endpoint.url);
    for (const [asked, context] of [
      [id, other.context],
      ['msg_00000000000000000000000000000000', customer.context],
      ['1', customer.context],
    ] as const)
      expect(await copies.send(redeliverWebhook, { id: asked }, context)).toEqual({
        kind: 'rejected',
        rejection: { code: 'not_found' },
      });
    await customer.setUrl(null);
    expect(await copies.send(redeliverWebhook, { id }, customer.context)).toEqual({
      kind: 'rejected',
      rejection: { code: 'webhook_off' },
    });
    expect(endpoint.received).toHaveLength(1);
  });

  test('by one command happens once', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const id = await customer.queue();
    await customer.settled(id, 'delivered');
    const context = { ...customer.context, commandId: randomUUID(), fingerprint: 'f'.repeat(64) };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => copies.send(redeliverWebhook, { id }, context)),
    );
    expect(new Set(replies.map((reply) => (reply.kind === 'ok' ? reply.body : ''))).size).toBe(1);
    await customer.settled(id, 'delivered', 2);
    expect(endpoint.received).toHaveLength(2);
    await customer.setUrl(null);
    expect(await copies.send(redeliverWebhook, { id }, context)).toMatchObject({
      replayed: true,
      body: replies[0]?.kind === 'ok' ? replies[0].body : '',
    });
  });
});
