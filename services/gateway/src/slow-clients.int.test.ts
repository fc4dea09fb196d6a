import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startPlatform } from './platform.fixture.ts';

const { url, key, call } = await startPlatform();
const { hostname, port } = new URL(url);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Milliseconds until the server cuts a connection on which a byte is sent every `everyMs`. */
function cutAfter(first: string, drip: string, everyMs: number): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(first));
    sockets.push(socket);
    const timer = setInterval(() => socket.write(drip), everyMs);
    const end = () => {
      clearInterval(timer);
      resolve(performance.now() - startedAt);
    };
    socket.on('close', end);
    socket.on('error', end);
    socket.resume();
  });
}

const many = (count: number, first: string, drip: string) =>
  Promise.all(Array.from({ length: count }, () => cutAfter(first, drip, 500)));

test('connections that drip or idle are cut within 15 s, and others are served meanwhile', async () => {
  const head = `POST /api/user/folder HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`;
  const slow = Promise.all([
    many(50, 'GET / HTTP/1.1\r\nX-A: ', 'x'),
    many(50, `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`, 'x'),
    many(50, '', ''),
    many(50, `GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n`, ''),
  ]);
  const latencies: number[] = [];
  let isDone = false;
  void slow.then(() => {
    isDone = true;
  });
  while (!isDone) {
    const startedAt = performance.now();
    expect((await call('GET', '/api/user/folders')).status).toBe(200);
    latencies.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const cuts of await slow) expect(Math.max(...cuts)).toBeLessThan(15_500);
  const sorted = latencies.sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
});
