import { randomUUID } from 'node:crypto';
import { queueWebhook, setVoiceWebhook, webhookBodies } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies, untilLockIsAwaited } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { createCustomer } from '../webhooks.fixture.ts';
import { type ReceivedWebhook, receiver, verify } from './receiver.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
});
afterAll(() => copies?.close());

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
    const events = Array.from({ length: 60 }, () => randomUUID());
    const ids = await Promise.all(
      [...events, ...events, ...events].map((event) => customer.queue({}, event)),
    );
    expect(new Set(ids).size).toBe(60);
    await eventually(() => expect(endpoint.received).toHaveLength(60));
    const sequences = endpoint.received.map(({ body }) => JSON.parse(body).sequence);
    expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
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

test('what was turned off between the start of an attempt and its request gets no request, however long that took', async () => {
  const endpoint = await receiver();
  const customer = createCustomer(copies);
  await customer.setUrl(endpoint.url);
  await customer.secret();
  const slow = await copies.pool.connect();
  await slow.query('begin; lock table secrets.webhook_keys in access exclusive mode');
  const id = await customer.queue();
  await eventually(async () => {
    const started = `select from es.events where type = 'WebhookAttemptStarted' and account_id = $1`;
    expect((await copies.pool.query(started, [customer.accountId])).rowCount).toBe(1);
  });
  await untilLockIsAwaited(copies.pool);
  await customer.setUrl(null);
  await slow.query('commit');
  slow.release();
  const { attempts } = await customer.settled(id, 'cancelled', 1);
  expect([attempts[0]?.status_code, endpoint.received.length]).toEqual([null, 0]);
});
