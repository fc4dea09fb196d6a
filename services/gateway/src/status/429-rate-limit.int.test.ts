import { createFolder } from '@parley/contracts';
import { beforeEach, expect, test } from 'vitest';
import { defaultTimeouts } from '../edge/load/timeouts.ts';
import { startTestGateway, withGateway } from '../gateway.fixture.ts';
import { createCall, startPlatform } from '../platform.fixture.ts';

const limited = {
  ...createFolder,
  rateLimits: [
    { name: 'per minute', max: 3, windowMs: 60_000 },
    { name: 'per hour', max: 100, windowMs: 3_600_000 },
  ],
};
const platform = await startPlatform({ operations: [limited] });
const { asked, keys } = platform;
let key = platform.key;
beforeEach(() => {
  key = keys.issue();
});
const create = (options = {}) =>
  platform.call('POST', '/api/user/folder', { key, body: { name: 'a' }, ...options });
const limitHeaders = (headers: Headers) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

test('a limited operation tells how its tightest limit stands', async () => {
  const { status, headers } = await create();
  const [limit, remaining, reset] = limitHeaders(headers);
  expect([status, limit, remaining]).toEqual([201, 3, 2]);
  expect(reset).toBeGreaterThan(Date.now() / 1000 + 30);
  expect(reset).toBeLessThan(Date.now() / 1000 + 90);
});

test('what comes on top is refused, reaches no service and says when to come back', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1) expect((await create()).status).toBe(201);
  const before = asked.length;
  const { status, json, headers } = await create();
  const retryAfter = Number(headers.get('retry-after'));
  expect([status, json]).toEqual([429, { message: 'Too Many Attempts.', retry_after: retryAfter }]);
  expect(retryAfter).toBeGreaterThan(30);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(limitHeaders(headers).slice(0, 2)).toEqual([3, 0]);
  expect(asked.length).toBe(before);
});

test('what is malformed uses nothing up, and tells how the limits stand', async () => {
  const malformed = [
    { rawBody: '{' },
    { body: {} },
    { rawBody: '{}', headers: { 'content-type': 'text/plain' } },
    { rawBody: `{"name":"${'x'.repeat(300_000)}"}` },
    { headers: { 'idempotency-key': '' } },
  ];
  for (const options of malformed) {
    const { status, headers } = await create(options);
    expect([400, 413, 415, 422]).toContain(status);
    expect(limitHeaders(headers).slice(0, 2)).toEqual([3, 3]);
  }
  expect(limitHeaders((await create()).headers)[1]).toBe(2);
});

test('what the service refuses is used up', async () => {
  expect((await create({ body: { name: 'taken' } })).status).toBe(422);
  expect(limitHeaders((await create()).headers)[1]).toBe(1);
});

test('the limit holds over gateways, and per account', async () => {
  const other = await startTestGateway({ natsUrl: platform.bus.url, operations: [limited] });
  const calls = [createCall(platform.url, key), createCall(other.url, key)];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => calls[n % 2]?.('POST', '/api/user/folder', { body: { name: 'a' } })),
  );
  expect(answers.filter((answer) => answer?.status === 201)).toHaveLength(3);
  expect(answers.filter((answer) => answer?.status === 429)).toHaveLength(17);
  expect((await create({ key: keys.issue() })).status).toBe(201);
  await other.close();
});

test('without a key nothing is told about limits', async () => {
  const { status, headers } = await create({ key: null });
  expect(status).toBe(401);
  expect(headers.get('x-ratelimit-limit')).toBeNull();
});

test('an answer that has to look up how the limits stand is given once', async () => {
  for (let n = 0; n < 5; n += 1) expect((await create({ body: {} })).status).toBe(422);
  const metrics = await (await fetch(`${platform.url}/metrics`)).text();
  // A second one would find the first one sent, which counts as a failure of ours.
  expect(metrics).not.toMatch(/status="500"/);
});

test('the time that the limits took is part of the request’s time', async () => {
  const gateway = await withGateway({
    natsUrl: platform.bus.url,
    operations: [limited],
    timeouts: { ...defaultTimeouts, handlerMs: 3000 },
  });
  keys.limitsTakeMs = 1900;
  platform.folders.hold();
  const before = asked.length;
  const { status } = await createCall(gateway.url, key)('POST', '/api/user/folder', {
    body: { name: 'wait' },
  });
  platform.folders.open();
  keys.limitsTakeMs = 0;
  expect(status).toBe(503);
  // What is left for the service; nothing where the limits came too late.
  for (const { context } of asked.slice(before)) expect(context.timeoutMs).toBeLessThan(3000 - 1900 + 50);
});

test('limits that gave no answer are not waited for again, to tell how they stand', async () => {
  const gateway = await withGateway({
    natsUrl: platform.bus.url,
    operations: [limited],
    timeouts: { ...defaultTimeouts, handlerMs: 500 },
  });
  keys.limitsTakeMs = 1_000;
  const before = keys.limitsAsked;
  const { status, headers } = await createCall(gateway.url, key)('POST', '/api/user/folder', {
    body: { name: 'never asked for' },
  });
  keys.limitsTakeMs = 0;
  expect([status, headers.get('x-ratelimit-limit')]).toEqual([503, null]);
  expect(keys.limitsAsked).toBe(before + 1);
});
