import { randomUUID } from 'node:crypto';
import {
  getWebhookSecret,
  listWebhookDeliveries,
  queueWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  setVoiceWebhook,
  webhookBodies,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { type Answer, type ReceivedWebhook, startReceiver } from './receiver.fixture.ts';
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
const verify = (secret: string, { headers, body }: ReceivedWebhook, change: object = {}) =>
  new Webhook(secret).verify(body, { ...(headers as Record<string, string>), ...change });

describe('a webhook', () => {
  test('arrives once, signed so that the library of the standard verifies it', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const eventId = randomUUID();
    const id = await customer.queue({ customer_phone: '+4930901821', conversation_id: eventId }, eventId);
    const item = await customer.settled(id, 'delivered', 1);
    expect(endpoint.received).toHaveLength(1);
    const [webhook] = endpoint.received as [ReceivedWebhook];
    const body = webhookBodies.chatapp_voice.strict().parse(verify(await customer.secret(), webhook));
    expect(body).toMatchObject({
      event: 'chatapp_voice',
      event_id: eventId,
      sequence: 1,
      occurred_at: '2026-11-21T09:30:00.000Z',
      customer_phone: '+4930901821',
      conversation_id: eventId,
    });
    expect(webhook).toMatchObject({
      id,
      path: '/hook',
      headers: { 'content-type': 'application/json', 'user-agent': 'Parley-Webhooks/1.0' },
    });
    expect(item).toMatchObject({
      id,
      event: 'chatapp_voice',
      event_id: eventId,
      assistant_id: null,
      sequence: 1,
      url: endpoint.url,
      next_attempt_at: null,
      attempts: [{ attempt: 1, status_code: 200, error: null }],
    });
  });

  test('verifies no more when a byte of it is changed, or with another secret', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    await customer.settled(await customer.queue(), 'delivered');
    const [webhook] = endpoint.received as [ReceivedWebhook];
    const secret = await customer.secret();
    expect(() => verify(secret, webhook)).not.toThrow();
    expect(() => verify(secret, { ...webhook, body: webhook.body.replace('true', 'tru3') })).toThrow();
    expect(() => verify(secret, webhook, { 'webhook-id': `${webhook.id}0` })).toThrow();
    const foreign = await createCustomer(copies).secret();
    expect(() => verify(foreign, webhook)).toThrow();
  });

  test('is queued once for each event, however often and wherever it is queued, and numbered without a gap', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const events = Array.from({ length: 30 }, () => randomUUID());
    const ids = await Promise.all(
      [...events, ...events, ...events].map((event) => customer.queue({}, event)),
    );
    expect(new Set(ids).size).toBe(30);
    await eventually(() => expect(endpoint.received).toHaveLength(30));
    const sequences = endpoint.received.map(({ body }) => JSON.parse(body).sequence);
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    expect(new Set(endpoint.received.map(({ id }) => id))).toEqual(new Set(ids));
  });

  test('is not made while the voice webhook is off', async () => {
    const customer = createCustomer(copies);
    expect(await customer.queue()).toBeNull();
    expect(await customer.deliveries()).toEqual([]);
  });

  test('must be of a known form', async () => {
    const reply = await copies.send(queueWebhook, {
      account_id: 1,
      event: 'post_call',
      event_id: 'x',
      fields: {},
    });
    expect(reply).toMatchObject({ kind: 'rejected', rejection: { code: 'invalid' } });
  });
});

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
      union all select 1 from view_webhook_deliveries_v1.items where body like '%whsec%'`);
    expect(rows).toEqual([]);
  });
});

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
  });
});

describe('what is in a webhook', () => {
  test('arrives as it was, and adds no header', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const texts = [
      'a\r\nX-Injected: 1\r\n\r\n',
      '\u0001\u2028\u202e',
      '🏢 東京 Zoë "\\',
      'x'.repeat(64 * 1024),
      '{{1}} $1 <b>',
    ];
    for (const status of texts) await customer.settled(await customer.queue({ status }), 'delivered');
    const names = ['host', 'connection', 'content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'];
    for (const [index, webhook] of endpoint.received.entries()) {
      expect(JSON.parse(webhook.body).status).toBe(texts[index]);
      expect(webhook.rawHeaders.filter((_, place) => place % 2 === 0)).toEqual([
        ...names,
        'webhook-signature',
        'content-length',
      ]);
      verify(await customer.secret(), webhook);
    }
  });

  test('goes to a URL of any form exactly as it was set, or the URL is refused', async () => {
    const endpoint = await receiver();
    const customer = createCustomer(copies);
    const base = endpoint.url.replace('/hook', '');
    const accepted: [set: string, called: string][] = [
      [`${base}/a%20b?q=1&q=2#part`, '/a%20b?q=1&q=2'],
      [`${base}/🏢/日本語?q=🏢`, '/%F0%9F%8F%A2/%E6%97%A5%E6%9C%AC%E8%AA%9E?q=%F0%9F%8F%A2'],
      [`${base}/%0d%0aX-Injected:%201`, '/%0d%0aX-Injected:%201'],
      [`${base}`, '/'],
    ];
    for (const [url, path] of accepted) {
      expect((await customer.setUrl(url)).data).toEqual({ url });
      const item = await customer.settled(await customer.queue(), 'delivered');
      expect([item.url, endpoint.received.at(-1)?.path]).toEqual([url, path]);
    }
    const refused = [
      `${base}/\r\nX-Injected: 1`,
      `${base}/\u0000`,
      ` ${base}/`,
      `${base}/a b`,
      `${base}/${'x'.repeat(64 * 1024)}`,
      `${base.replace('//', '//user:password@')}/`,
      `${base}/\ud800`,
      '',
      'ftp://127.0.0.1/',
      'http://127.0.0.1:5432/',
      'http://10.0.0.1/',
    ];
    for (const url of refused)
      expect(await copies.send(setVoiceWebhook, { url }, customer.context)).toMatchObject({
        rejection: { code: 'invalid', fields: { url: [expect.any(String)] } },
      });
  });
});
