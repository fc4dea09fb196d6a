import type { WebhookSecretEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createWebhookSecret, rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { signWebhook } from './sign-webhook.ts';
import { signingKeys, webhookSecret } from './webhook-secret.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => `0193e2a0-0000-7000-8000-00000000000${letter}`) as [
  string,
  string,
  string,
];
const now = new Date('2026-11-21T09:30:00.000Z');
const later = (hours: number, ms = 0) => new Date(now.getTime() + hours * 3_600_000 + ms);
const created: WebhookSecretEvent = { type: 'WebhookSecretCreated', data: { key_id: a } };

describe('the keys of an account', () => {
  test('begin with one', () => {
    const { events, reply } = createWebhookSecret(null, a);
    expect(events).toEqual([created]);
    expect(reply).toEqual({ key_id: a, previous: null });
    expect(createWebhookSecret(given(webhookSecret, created), b)).toEqual({ events: [], reply });
    expect(rotateWebhookSecret(null, { keyId: a, now }).events).toEqual([created]);
  });

  test('are two for 24 hours after a rotation, the new one first', () => {
    const { events, reply, timers } = rotateWebhookSecret(given(webhookSecret, created), { keyId: b, now });
    const state = given(webhookSecret, created, ...events);
    if (!state) throw new Error('It has keys.');
    expect(signingKeys(state, now)).toEqual([b, a]);
    expect(signingKeys(state, later(24, -1))).toEqual([b, a]);
    expect(signingKeys(state, later(24))).toEqual([b]);
    expect(reply).toEqual({ key_id: b, previous: { key_id: a, valid_until: later(24).toISOString() } });
    expect(timers).toMatchObject([{ payload: { key_id: a }, due: { afterMs: 49 * 3_600_000 } }]);
  });

  test('are never three: another rotation ends the oldest at once', () => {
    const first = rotateWebhookSecret(given(webhookSecret, created), { keyId: b, now });
    const before = given(webhookSecret, created, ...first.events);
    const second = rotateWebhookSecret(before, { keyId: c, now: later(1) });
    const state = given(webhookSecret, created, ...first.events, ...second.events);
    if (!state) throw new Error('It has keys.');
    expect(signingKeys(state, later(1))).toEqual([c, b]);
  });

  test('fold from golden events', () => {
    const events = golden<WebhookSecretEvent>('WebhookSecretCreated.v1', 'WebhookSecretRotated.v1');
    expect(given(webhookSecret, ...events)).toEqual({
      keyId: b,
      previous: { keyId: a, validUntil: '2026-11-22T09:30:00.000Z' },
    });
  });
});

describe('a signature', () => {
  /** The example of the Standard Webhooks libraries. */
  const official = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    timestamp: new Date(1_614_265_330_000),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  };

  test('is that of the official vector', () => {
    expect(signWebhook(official)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('is made with each secret, and each receiver finds its own', () => {
    const [first = ''] = official.secrets;
    const second = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const timestamp = new Date();
    const headers = signWebhook({ ...official, timestamp, secrets: [second, first] });
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    for (const secret of [first, second])
      expect(new Webhook(secret).verify(official.body, headers)).toEqual({ test: 2432232314 });
    const third = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    expect(() => new Webhook(third).verify(official.body, headers)).toThrow('No matching signature');
  });

  test('does not fit when a byte of body, id or time is changed', () => {
    const [secret = ''] = official.secrets;
    const headers = signWebhook({ ...official, timestamp: new Date() });
    const verify = (body: string, change: object = {}) =>
      new Webhook(secret).verify(body, { ...headers, ...change });
    expect(() => verify(official.body)).not.toThrow();
    for (let index = 0; index < official.body.length; index += 1) {
      const changed = `${official.body.slice(0, index)}~${official.body.slice(index + 1)}`;
      expect(() => verify(changed)).toThrow('No matching signature');
    }
    expect(() => verify(official.body, { 'webhook-id': 'msg_other' })).toThrow('No matching signature');
    const second = Number(headers['webhook-timestamp']) + 1;
    expect(() => verify(official.body, { 'webhook-timestamp': String(second) })).toThrow(
      'No matching signature',
    );
  });

  test('is over the bytes of the body, whatever is in it', () => {
    const [secret = ''] = official.secrets;
    for (const text of ['🏢 東京', '\r\nX-Injected: 1', '\u0000\u2028', '"\\'.repeat(100)]) {
      const body = JSON.stringify({ text });
      const headers = signWebhook({ ...official, body, timestamp: new Date() });
      expect(new Webhook(secret).verify(Buffer.from(body), headers)).toEqual({ text });
    }
  });
});
