import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { defaultTimeouts } from './edge/load/timeouts.ts';
import { withGateway } from './gateway.fixture.ts';
import { createCall, startPlatform } from './platform.fixture.ts';

/** The real ones divided by ten, so that the test is short. */
const timeouts = {
  ...defaultTimeouts,
  headersMs: defaultTimeouts.headersMs / 10,
  requestMs: defaultTimeouts.requestMs / 10,
  checkMs: defaultTimeouts.checkMs / 10,
  slowestBytesPerSecond: 1_000,
  keepAliveMs: 200,
  connectionMs: defaultTimeouts.connectionMs / 10,
};
const { bus, url, key, keys, call, folders } = await startPlatform({ timeouts });
const { hostname, port } = new URL(url);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const dripMs = 50;

/**
 * Until a connection is closed on which something is sent ever so often: milliseconds, but those that this process stood
 * still, and what the server said.
 */
function cutAfter(
  first: string,
  drip: string,
  { allowHalfOpen = false, drips = Number.POSITIVE_INFINITY } = {},
): Promise<{ ms: number; text: string }> {
  let text = '';
  let sent = 0;
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen });
    socket.write(first);
    sockets.push(socket);
    const timer = setInterval(() => {
      sent += 1;
      if (sent <= drips) socket.write(drip);
    }, dripMs);
    const end = () => {
      clearInterval(timer);
      resolve({ ms: sent * dripMs, text });
    };
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', end);
    socket.on('error', end);
  });
}

const many = (first: string, drip: string) =>
  Promise.all(Array.from({ length: 50 }, () => cutAfter(first, drip)));

test('connections that drip or idle are cut in time, and others are served meanwhile', async () => {
  const head = `POST /api/user/folder HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const slow = Promise.all([
    many('GET / HTTP/1.1\r\nX-A: ', 'x'),
    many(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`, 'x'),
    many('', ''),
    many(`GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`, ''),
  ]);
  let isDone = false;
  const cuts = slow.finally(() => {
    isDone = true;
  });
  let served = 0;
  while (!isDone) {
    const { status } = await call('GET', '/api/user/folders');
    // While all of this process stands still, a request of its own is slow as well.
    expect([200, 408]).toContain(status);
    if (status === 200 && !isDone) served += 1;
    await sleep(50);
  }
  expect(served).toBeGreaterThan(0);
  const [heads = [], bodies = [], silent = [], idle = []] = await cuts;
  for (const { ms } of [...heads, ...bodies, ...silent, ...idle]) expect(ms).toBeLessThan(10_000);
  for (const { text } of [...heads, ...bodies]) expect(text).toMatch(/^HTTP\/1\.1 408 /);
  for (const { text } of idle) expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\}$/);
});

const upload = (bytes: number) =>
  `POST /api/user/leads/import?campaign_id=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: text/csv\r\nContent-Length: ${bytes}\r\n\r\nphone_number\n`;

test('a file that comes slowly but steadily is taken, however long that takes', async () => {
  const piece = '+14155552671\n'.repeat(80);
  const pieces = Math.ceil((2.5 * timeouts.requestMs) / dripMs);
  const head = upload('phone_number\n'.length + pieces * piece.length);
  const { ms, text } = await cutAfter(head, piece, { drips: pieces });
  expect(ms).toBeGreaterThan(2 * timeouts.requestMs);
  // It went on to the service, of which there is none here.
  expect(text).toMatch(/^HTTP\/1\.1 5\d\d /);
});

test('a file that drips is cut in time, also one that began well, and whoever does not hear of it', async () => {
  const cuts = await Promise.all([
    cutAfter(upload(1_000_000), '1'),
    cutAfter(upload(1_000_000) + '+14155552671\n'.repeat(2_000), '1'),
    cutAfter(upload(1_000_000), '1', { allowHalfOpen: true }),
  ]);
  for (const { ms, text } of cuts) {
    expect(ms).toBeLessThan(10_000);
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  }
});

describe('a large answer', () => {
  const path = '/api/user/folders';
  const start = async (bytes: number) => {
    folders.pad(bytes);
    onTestFinished(() => folders.pad(0));
    const { requestMs, slowestBytesPerSecond } = timeouts;
    return withGateway({
      natsUrl: bus.url,
      timeouts: { ...defaultTimeouts, requestMs, slowestBytesPerSecond },
      maxUnreadBytes: 14 * 1024 * 1024,
    });
  };

  test('that nobody takes holds up its account only, and no longer than until its client is cut off', async () => {
    const gateway = await start(6 * 1024 * 1024);
    const [greedy, other] = [keys.issue(), keys.issue()];
    const target = new URL(gateway.url);
    const takeNothing = () => {
      const socket = connect(Number(target.port), target.hostname).on('error', () => undefined);
      sockets.push(socket);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${greedy}\r\n\r\n`);
    };
    const list = async (token: string) => {
      const { status, text } = await createCall(gateway.url, token)('GET', path);
      return status === 200 ? status : text;
    };
    const refused = '{"message":"The service is temporarily unavailable."}';
    await eventually(async () => {
      // On a busy machine the last one may be cut off already.
      takeNothing();
      expect(await list(greedy)).toBe(refused);
    });
    expect(await list(other)).toBe(200);
    await eventually(async () => expect(await list(greedy)).toBe(200));
  });

  test('is there as a whole for whoever takes it', async () => {
    const gateway = await start(1_000_000);
    const { text, headers } = await createCall(gateway.url, key)('GET', path);
    expect(JSON.parse(text).padding).toHaveLength(1_000_000);
    expect(headers.get('content-length')).toBe(String(text.length));
    const head = await createCall(gateway.url, key)('HEAD', path);
    expect([head.text, head.headers.get('content-length')]).toEqual(['', String(text.length)]);
  });
});

test('by default a client is cut off within 15 s', () => {
  const { headersMs, requestMs, keepAliveMs, checkMs } = defaultTimeouts;
  // Node keeps a connection one second longer than it announces, so that a request on its way is still taken.
  expect(Math.max(headersMs + checkMs, requestMs + checkMs, keepAliveMs + 1000)).toBeLessThanOrEqual(15_000);
});
