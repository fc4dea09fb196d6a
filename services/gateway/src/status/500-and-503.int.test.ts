import { connect } from 'node:net';
import { eventually, startOwnNats } from '@parley/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultTimeouts } from '../edge/load/timeouts.ts';
import { startService, startTestGateway, withGateway } from '../gateway.fixture.ts';
import { createCall, startPlatform } from '../platform.fixture.ts';
import { accountsController } from '../services.fixture.ts';

const platform = await startPlatform();
const { call } = platform;
const create = (name: string) => call('POST', '/api/user/folder', { body: { name } });

test.each(['bug', 'unknown code'])(
  'a service’s %s is 500 and tells nothing but the request id',
  async (name) => {
    const { status, text, headers } = await create(name);
    expect([status, text]).toEqual([500, '{"message":"Something went wrong on our side."}']);
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('what may go well on the next try is 503 with Retry-After', async () => {
  const { status, json, headers } = await create('contended');
  expect([status, json]).toEqual([503, { message: 'The resource is being changed by others; try again.' }]);
  expect(headers.get('retry-after')).toBe('1');
});

test('more requests than may wait are refused at once', async () => {
  const gateway = await withGateway({ natsUrl: platform.bus.url, env: { MAX_WAITING_REQUESTS: '5' } });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      fetch(`${gateway.url}/api/user/folders`, { headers: { authorization: `Bearer ${platform.key}` } }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(200);
  expect(statuses).toContain(503);
  expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('1');
});

test('look-ups of keys that nobody has leave room for who has one', async () => {
  const { url } = await withGateway({ natsUrl: platform.bus.url, env: { MAX_WAITING_REQUESTS: '8' } });
  const list = () => createCall(url, platform.key)('GET', '/api/user/folders');
  const { keys } = platform;
  const leaseMs = keys.leaseMs;
  keys.leaseMs = 60_000;
  onTestFinished(() => {
    keys.leaseMs = leaseMs;
  });
  await eventually(async () => {
    const before = keys.lookUps;
    expect((await list()).status).toBe(200);
    expect(keys.lookUps).toBe(before);
  });
  const release = keys.hold();
  let refused = 0;
  // Also where nothing else than the key is looked at.
  const strangers = Array.from({ length: 40 }, async (_, n) => {
    const stranger = createCall(url, `nobody-${n}`);
    const asked =
      n % 2 === 0 ? stranger('GET', '/api/user/folders') : stranger('DELETE', '/api/user/folder/%zz');
    if ((await asked).status === 503) refused += 1;
  });
  // So many at least when all places are taken: were it by strangers, nobody else would come in until they have waited.
  await eventually(() => expect(refused).toBeGreaterThanOrEqual(12));
  expect((await list()).status).toBe(200);
  await eventually(() => expect(refused).toBeGreaterThanOrEqual(40 - 6));
  release();
  await Promise.all(strangers);
});

describe('an account that asks for more than its share', () => {
  test('is refused while it waits for half of what may wait, and nobody else is', async () => {
    const { url } = await withGateway({ natsUrl: platform.bus.url, env: { MAX_WAITING_REQUESTS: '8' } });
    const greedy = createCall(url, platform.keys.issue());
    const other = createCall(url, platform.keys.issue());
    const before = platform.asked.length;
    platform.folders.hold();
    const waiting = Array.from({ length: 4 }, () =>
      greedy('POST', '/api/user/folder', { body: { name: 'wait' } }),
    );
    await eventually(() => expect(platform.asked.length).toBeGreaterThanOrEqual(before + 4));
    const refused = await greedy('GET', '/api/user/folders');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await other('GET', '/api/user/folders')).status).toBe(200);
    platform.folders.open();
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(201);
    expect((await greedy('GET', '/api/user/folders')).status).toBe(200);
  });

  test('has 16 of the places for files, of which three such accounts leave some for others', async () => {
    const { url } = await withGateway({ natsUrl: platform.bus.url });
    const greedy = Array.from({ length: 3 }, () => platform.keys.issue());
    const path = '/api/user/leads/import?campaign_id=1';
    let refused = 0;
    for (const key of greedy.flatMap((each) => Array(20).fill(each))) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      onTestFinished(() => {
        socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('data', (answer) => {
        if (/^HTTP\/1.1 503 .*retry-after: 5\r\n/s.test(answer.toString())) refused += 1;
      });
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: text/csv\r\n`;
      socket.write(`${head}Content-Length: 100\r\n\r\nphone_number`);
    }
    await eventually(() => expect(refused).toBe(3 * (20 - 16)));
    const upload = async (key: string) => {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
        body: Buffer.from([0xff]),
      });
      return answer.status;
    };
    // Its file is looked at.
    expect(await upload(platform.keys.issue())).toBe(422);
    for (const key of greedy) expect(await upload(key)).toBe(503);
  });
});

describe('a gateway whose event loop lags behind', () => {
  /** No event loop is as quick as that. */
  const behind = { maxLoopDelayMs: Number.MIN_VALUE };
  const list = (url: string) => createCall(url, platform.key)('GET', '/api/user/folders');

  test('refuses at once', async () => {
    const { url } = await withGateway({
      natsUrl: platform.bus.url,
      pressure: { ...behind, warmUpMs: 0 },
    });
    const { json, headers } = await eventually(async () => {
      const answer = await list(url);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(json).toEqual({ message: 'The service is temporarily unavailable.' });
    expect(headers.get('retry-after')).toBe('1');
  });

  test('refuses nobody for the lag of its own start', async () => {
    const { url } = await withGateway({
      natsUrl: platform.bus.url,
      pressure: { ...behind, warmUpMs: 60_000 },
    });
    // The lag is looked at every second.
    const until = performance.now() + 1_500;
    while (performance.now() < until) expect((await list(url)).status).toBe(200);
  });
});

test('a service that does not answer is 503 at the deadline', async () => {
  const gateway = await withGateway({
    natsUrl: platform.bus.url,
    timeouts: { ...defaultTimeouts, handlerMs: 300 },
  });
  platform.folders.hold();
  const { status, json, headers } = await createCall(gateway.url, platform.key)('POST', '/api/user/folder', {
    body: { name: 'wait' },
  });
  platform.folders.open();
  expect([status, json]).toEqual([503, { message: 'The request took too long.' }]);
  expect(headers.get('retry-after')).toBe('1');
});

test('a bus that breaks ends what waits with 503', async () => {
  const broken = await startOwnNats();
  const services = [
    await startService(broken.url, 'accounts', [accountsController(platform.keys)]),
    await startService(broken.url, 'assistants', [platform.folders]),
  ];
  const timeouts = { ...defaultTimeouts, handlerMs: 5_000 };
  const gateway = await startTestGateway({ natsUrl: broken.url, timeouts });
  const callBroken = createCall(gateway.url, platform.key);
  platform.folders.hold();
  const before = platform.asked.length;
  const waiting = callBroken('POST', '/api/user/folder', { body: { name: 'wait' } });
  await eventually(() => expect(platform.asked.length).toBeGreaterThan(before));
  await broken.stop();
  platform.folders.open();
  const answers = [await callBroken('GET', '/api/user/folders'), await waiting];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect((await callBroken('GET', '/health/live')).status).toBe(200);
  await gateway.close();
  await Promise.all(services.map((service) => service.close()));
});

test('a service that starts again is waited for; one that stays away is 503, and back as soon as it is', async () => {
  await platform.assistants.close();
  const restarting = create('a');
  const restarted = await startService(platform.bus.url, 'assistants', [platform.folders]);
  expect((await restarting).status).toBe(201);
  await restarted.close();
  const { status, json, headers } = await create('a');
  expect([status, json]).toEqual([503, { message: 'The service is temporarily unavailable.' }]);
  expect(headers.get('retry-after')).toBe('1');
  const back = await startService(platform.bus.url, 'assistants', [platform.folders]);
  expect((await create('a')).status).toBe(201);
  await back.close();
});

test('without the accounts service nobody is let in, in the operation’s shape', async () => {
  await platform.accounts.close();
  const { status, json } = await call('GET', '/api/user/folders');
  expect([status, json]).toEqual([503, { message: 'The service is temporarily unavailable.' }]);
  expect((await call('GET', '/health/ready')).status).toBe(503);
  expect((await call('GET', '/health/live')).status).toBe(200);
  const back = await startService(platform.bus.url, 'accounts', [accountsController(platform.keys)]);
  await eventually(async () => expect((await call('GET', '/health/ready')).status).toBe(200));
  await back.close();
});
