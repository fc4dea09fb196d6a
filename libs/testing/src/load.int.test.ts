import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type EndedRequest, httpRequest, runLoad } from './load.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Returns the port. */
async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Enough is asked in it also where the process stands still for a while. */
const durationMs = 3_000;
const get = (n: number) => httpRequest('GET', `/${n}`, 'key');

test('every answer is counted by its status, large ones too', async () => {
  const asked: string[] = [];
  const port = await serve((request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = asked.length % 2 === 0 ? 200 : 503;
    response.end('x'.repeat(asked.length % 3 === 0 ? 200_000 : 10));
  });
  const ended: EndedRequest[] = [];
  const onEnd = (each: EndedRequest) => ended.push(each);
  const { statuses } = await runLoad({
    port,
    connections: 3,
    durationMs,
    perSecond: 100,
    request: get,
    onEnd,
  });
  expect(new Set(asked).size).toBe(asked.length);
  expect(ended).toHaveLength(asked.length);
  expect([...statuses.keys()].toSorted()).toEqual([200, 503]);
  expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(asked.length);
  expect(ended.every(({ answer }) => /\r\ncontent-length: /i.test(answer))).toBe(true);
});

test('a request whose connection ends first counts as such, and the load goes on', async () => {
  let asked = 0;
  let cut = 0;
  const port = await serve((request, response) => {
    asked += 1;
    if (asked % 5 === 0) {
      cut += 1;
      request.socket.destroy();
    } else response.end('here');
  });
  const { statuses } = await runLoad({ port, connections: 2, durationMs, request: get });
  expect(cut).toBeGreaterThan(1);
  expect(statuses).toEqual(
    new Map([
      [200, asked - cut],
      [0, cut],
    ]),
  );
});

test('no more is asked than was wanted in that time', async () => {
  let asked = 0;
  const port = await serve((_, response) => {
    asked += 1;
    response.end('here');
  });
  await runLoad({ port, connections: 4, durationMs, perSecond: 40, request: get });
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(120);
});

test('nobody there is an error', async () => {
  const port = await serve(() => undefined);
  const gone = once(server as Server, 'close');
  server?.close();
  await gone;
  await expect(runLoad({ port, connections: 1, durationMs: 50, request: get })).rejects.toThrow(
    'ECONNREFUSED',
  );
});
