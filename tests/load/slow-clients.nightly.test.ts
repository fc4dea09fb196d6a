import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBusClient } from '@parley/message-bus';
import { type RunningStack, startStack } from '@parley/testing';
import { httpRequest, runLoad } from '@parley/testing/load';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { reportFigure } from '../support/figures.ts';

/** The first of them are cut while this goes on. */
const secondsOfMeasuring = 10;
const secondsOfComing = 3;
const perSecond = 200;
const cutWithinMs = 15_000;
/** Below it a difference is that of the machine, on which the slow clients run as well. */
const unnoticedMs = 50;

let stack: RunningStack;
/** Of the healthy clients, and of those that drip. */
let keys: readonly string[] = [];
beforeAll(async () => {
  stack = await startStack();
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const accounts = await Promise.all([1, 2].map(() => registerTestAccount(bus)));
  keys = accounts.map(({ key }) => key);
  await bus.close();
});
afterAll(async () => {
  await stack?.stop();
});

interface Cut {
  /** From the connection to its end. */
  readonly ms: number;
  /** What the gateway said. */
  readonly text: string;
}

/** A client that sends `first`, and a byte each second if it drips, until it is cut off. */
function slowClient(first: string, isDripping: boolean): Promise<Cut> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(stack.baseUrl);
    const socket = connect(Number(port), hostname);
    let startedAt = performance.now();
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    socket.on('connect', () => {
      startedAt = performance.now();
      socket.write(first);
      timer = setInterval(() => isDripping && socket.write('x'), 1_000);
    });
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ ms: performance.now() - startedAt, text });
    });
  });
}

/** They come one after the other, as clients do: those that drip do so at different moments. */
const many = (count: number, first: string, isDripping: boolean): Promise<readonly Cut[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      await sleep((n * secondsOfComing * 1_000) / count);
      return slowClient(first, isDripping);
    }),
  );

/** Of others meanwhile. */
const healthyClients = () =>
  runLoad({
    port: Number(new URL(stack.baseUrl).port),
    connections: 8,
    perSecond,
    durationMs: secondsOfMeasuring * 1_000,
    request: () => httpRequest('GET', '/api/user/folders', keys[0] ?? ''),
  });

test('L5: 500 clients that drip headers, 500 that drip bodies and 2,000 that idle are cut in time, and slow nobody else down', async () => {
  await healthyClients();
  const before = await healthyClients();
  const post = `POST /api/user/folder HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${keys[1]}\r\n`;
  const slow = Promise.all([
    many(500, 'GET / HTTP/1.1\r\nX-A: ', true),
    many(500, `${post}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`, true),
    many(2_000, 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', false),
  ]);
  await sleep(secondsOfComing * 1_000);
  const during = await healthyClients();
  const [heads, bodies, idle] = await slow;
  const longest = (cuts: readonly Cut[]) => Math.max(...cuts.map(({ ms }) => ms));
  reportFigure(
    'L5',
    `cut after ${[heads, bodies, idle].map((cuts) => `${(longest(cuts) / 1_000).toFixed(1)} s`).join(', ')} at most (500 headers, 500 bodies, 2,000 idle); others: p99 ${before.p99Ms.toFixed(1)} ms before, ${during.p99Ms.toFixed(1)} ms meanwhile`,
  );
  for (const { text } of [...heads, ...bodies]) expect(text).toMatch(/^HTTP\/1\.1 408 /);
  for (const { text } of idle) expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\}$/);
  // The gateway looks every half second; what the machine stands still for comes on top.
  for (const cuts of [heads, bodies, idle]) expect(longest(cuts)).toBeLessThan(cutWithinMs + 1_000);
  expect([...during.statuses.keys()]).toEqual([200]);
  expect(during.p99Ms).toBeLessThan(2 * Math.max(before.p99Ms, unnoticedMs));
});
