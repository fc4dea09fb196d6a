import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { defaultTimeouts } from './edge/timeouts.ts';
import { startPlatform } from './platform.fixture.ts';

/** The real ones divided by ten, so that the test is short. */
const timeouts = {
  ...defaultTimeouts,
  headersMs: defaultTimeouts.headersMs / 10,
  requestMs: defaultTimeouts.requestMs / 10,
  checkMs: defaultTimeouts.checkMs / 10,
  keepAliveMs: 200,
  connectionMs: defaultTimeouts.connectionMs / 10,
};
const { url, key, call } = await startPlatform({ timeouts });
const { hostname, port } = new URL(url);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Milliseconds until the server cuts a connection on which a byte is sent ever so often, and what it said. */
function cutAfter(first: string, drip: string): Promise<{ ms: number; text: string }> {
  const startedAt = performance.now();
  let text = '';
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(first));
    sockets.push(socket);
    const timer = setInterval(() => socket.write(drip), 50);
    const end = () => {
      clearInterval(timer);
      resolve({ ms: performance.now() - startedAt, text });
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
  while (!isDone) {
    expect((await call('GET', '/api/user/folders')).status).toBe(200);
    await sleep(50);
  }
  const [heads = [], bodies = [], silent = [], idle = []] = await cuts;
  for (const { ms } of [...heads, ...bodies, ...silent, ...idle]) expect(ms).toBeLessThan(10_000);
  for (const { text } of [...heads, ...bodies]) expect(text).toMatch(/^HTTP\/1\.1 408 /);
  for (const { text } of idle) expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\}$/);
});

test('by default a client is cut off within 15 s', () => {
  const { headersMs, requestMs, keepAliveMs, checkMs } = defaultTimeouts;
  // Node keeps a connection one second longer than it announces, so that a request on its way is still taken.
  expect(Math.max(headersMs + checkMs, requestMs + checkMs, keepAliveMs + 1000)).toBeLessThanOrEqual(15_000);
});
