import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setVoiceWebhook } from '@parley/contracts';
import { createPostgresEventStore } from '@parley/event-store';
import { eventually, listen, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { voiceWebhookCategory, voiceWebhookStream } from '../../voice-webhook/voice-webhook.ts';
import { createCustomer, type DeliveryItem } from '../webhooks.fixture.ts';
import { startReceiver } from './receiver.fixture.ts';

const drip = (start: string) => (socket: Socket) => {
  socket.write(start);
  const timer = setInterval(() => socket.write('x'), 1000);
  socket.on('close', () => clearInterval(timer));
};
/** As much as it takes, and no more than a sixth of it. */
function flood(socket: Socket): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10485760\r\n\r\n');
  for (let sent = 0; sent < 10_485_760 && socket.writable; sent += chunk.length) socket.write(chunk);
}

describe('on a stack of one machine', () => {
  let copies: ServiceCopies;
  beforeAll(async () => {
    copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
  });
  afterAll(() => copies?.close());

  /** Webhooks of several healthy endpoints, one after the other, until the last has arrived. */
  async function deliverToOthers(rounds: number): Promise<void> {
    const endpoints = await Promise.all(Array.from({ length: 6 }, () => startReceiver()));
    onTestFinished(async () => {
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    });
    const customers = await Promise.all(
      endpoints.map(async ({ url }) => {
        const customer = createCustomer(copies);
        await customer.setUrl(url);
        return customer;
      }),
    );
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all(customers.map((customer) => customer.queue()));
      await eventually(() => {
        for (const { received } of endpoints) expect(received).toHaveLength(round);
      });
    }
  }

  test('endpoints that hang, drip, reset, flood or are not there end within 15 s and slow nobody else down', async () => {
    const silence = await listen(() => undefined);
    const behaviours: Readonly<Record<string, (socket: Socket) => void>> = {
      'drips a header': drip('HTTP/1.1 200 OK\r\nx-'),
      'drips a body': drip('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'),
      resets: (socket) => socket.resetAndDestroy(),
      'answers 10 MB': flood,
      'speaks no HTTP': (socket) => socket.end('220 mail ESMTP\r\n'),
    };
    const urls: [string, string][] = [
      ['never answers', `http://127.0.0.1:${silence.port}/`],
      ['is no TLS', `https://127.0.0.1:${(await listen(() => undefined)).port}/`],
      ['refuses', 'http://127.0.0.1:1/'],
      ['has no such name', `http://${randomUUID()}.invalid/`],
    ];
    for (const [name, behaviour] of Object.entries(behaviours))
      urls.push([name, `http://127.0.0.1:${(await listen(behaviour)).port}/`]);
    const hostile = await Promise.all(
      urls.map(async ([name, url]) => {
        const customer = createCustomer(copies);
        await customer.setUrl(url);
        // More than an endpoint is sent at a time.
        await Promise.all(Array.from({ length: 5 }, () => customer.queue()));
        return { name, customer };
      }),
    );
    const silent = hostile.find(({ name }) => name === 'never answers')?.customer;
    const givenUp = async () => (await silent?.deliveries())?.flatMap(({ attempts }) => attempts).length ?? 0;
    await eventually(async () => {
      const before = await givenUp();
      expect(silence.connections()).toBeGreaterThan(before);
      await deliverToOthers(2);
      expect(await givenUp(), 'all this arrived while others were waited for').toBe(before);
    });
    const firstAttempts = await Promise.all(
      hostile.map(async ({ name, customer }): Promise<[string, DeliveryItem['attempts'][number]]> => {
        const [first] = await eventually(async () => {
          const attempts = (await customer.deliveries()).flatMap((item) => item.attempts);
          expect(attempts.length).toBeGreaterThan(0);
          return attempts;
        });
        if (!first) throw new Error('There is one.');
        return [name, first];
      }),
    );
    const errors = Object.fromEntries(firstAttempts.map(([name, { error }]) => [name, error]));
    expect(errors).toEqual({
      'never answers': 'There was no answer in time.',
      'drips a header': 'There was no answer in time.',
      'drips a body': null,
      resets: 'The connection was closed before there was an answer.',
      'answers 10 MB': null,
      'speaks no HTTP': 'The answer was not valid HTTP.',
      'is no TLS': 'There was no answer in time.',
      refuses: 'No connection could be made.',
      'has no such name': 'The host name could not be resolved.',
    });
    // What this process stands still for comes on top of the 15 s.
    for (const [name, { duration_ms }] of firstAttempts)
      expect([name, (duration_ms ?? Number.NaN) < 20_000]).toEqual([name, true]);
  });

  test('an endpoint is sent at most four at a time, by all copies together', async () => {
    const open = Promise.withResolvers<void>();
    const endpoint = await startReceiver(async (_, response) => {
      await open.promise;
      response.end();
    });
    onTestFinished(() => endpoint.close());
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    await Promise.all(Array.from({ length: 60 }, () => customer.queue()));
    await eventually(() => expect(endpoint.mostOpen).toBe(4));
    open.resolve();
    await eventually(() => expect(endpoint.received).toHaveLength(60));
    expect(endpoint.mostOpen).toBe(4);
  });

  test('an endpoint that was slow gets what waits as soon as it is quick again', async () => {
    let delayMs = 3_000;
    const endpoint = await startReceiver((_, response) => setTimeout(() => response.end(), delayMs));
    onTestFinished(() => endpoint.close());
    const customer = createCustomer(copies);
    await customer.setUrl(endpoint.url);
    const queueMany = (count: number) => Promise.all(Array.from({ length: count }, () => customer.queue()));
    await queueMany(8);
    await eventually(() => expect(endpoint.received.length).toBeGreaterThan(4));
    // More than both copies take into their lines: at its old pace the endpoint would take almost four minutes.
    await queueMany(300);
    await eventually(() => expect(endpoint.received.length).toBeGreaterThan(8));
    delayMs = 0;
    await eventually(() => expect(new Set(endpoint.received.map(({ id }) => id)).size).toBe(308), 120_000);
  });
});

describe('everywhere else', () => {
  let copies: ServiceCopies;
  beforeAll(async () => {
    copies = await startServiceCopies(assistantsService, 1);
  });
  afterAll(() => copies?.close());

  const local = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://127.1:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `https://127.0.0.1:${port}/`,
    `http://①②⑦.0.0.1:${port}/`,
  ];

  test('a URL that points inside is refused when it is set', async () => {
    const customer = createCustomer(copies);
    for (const url of [
      ...local(40_123),
      'http://169.254.169.254/latest/',
      'http://10.0.0.1/',
      'http://a.example:22/',
    ])
      expect(await copies.send(setVoiceWebhook, { url }, customer.context)).toMatchObject({
        rejection: { code: 'invalid', fields: { url: [expect.stringMatching(/^The url field must/)] } },
      });
  });

  test('one that got in all the same is not connected to, and the log says so in plain words', async () => {
    const trap = await listen((socket) => socket.destroy());
    const store = await createPostgresEventStore({ connectionString: copies.databaseUrl });
    onTestFinished(() => store.close());
    for (const url of local(trap.port)) {
      const customer = createCustomer(copies);
      const { accountId } = customer;
      await store.append({
        streamId: voiceWebhookStream(accountId),
        category: voiceWebhookCategory,
        accountId,
        events: [{ type: 'VoiceWebhookSet', data: { url } }],
        expectedVersion: 0,
        metadata: {
          correlationId: 'x',
          causationId: 'x',
          commandId: null,
          actor: { kind: 'system', id: 'x' },
        },
      });
      const item = await customer.settled(await customer.queue(), 'pending', 1);
      expect(item.attempts).toMatchObject([{ status_code: null, error: 'The URL is not allowed.' }]);
    }
    expect(trap.connections()).toBe(0);
  });
});
