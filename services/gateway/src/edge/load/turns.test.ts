import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Turns } from './turns.ts';

/** A server that keeps its first answer back; how many requests it has read, and begun. */
async function startServer() {
  const seen = { read: 0, begun: 0, bytes: 0 };
  const first = Promise.withResolvers<ServerResponse>();
  const turns = new Turns();
  const server = createServer((request, response) => {
    seen.read += 1;
    turns.wait(request, response, () => {
      seen.begun += 1;
      request.on('data', (chunk) => {
        seen.bytes += chunk.length;
      });
      if (seen.begun === 1) first.resolve(response);
      else request.once('end', () => response.end());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { seen, port: Object(server.address() as AddressInfo).port, first: first.promise };
}

const post = (length: number) =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;

test.each([
  ['without a body', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 20_000, 0],
  ['with a body', post(10), 20_000, 10],
  ['with a large body', post(100_000), 50, 100_000],
])(
  'of requests %s that a client sends ahead no more are read than come at once, and all are answered',
  async (_, request, many, bytes) => {
    const { seen, port, first } = await startServer();
    const client = connect(port, '127.0.0.1');
    onTestFinished(() => {
      client.destroy();
    });
    let answers = '';
    client.on('data', (chunk) => {
      answers += chunk.toString('latin1');
    });
    client.write(request.repeat(many));
    const held = await first;
    await sleep(300);
    expect(seen.begun).toBe(1);
    expect(seen.read).toBeLessThan(many / 4);
    held.end();
    await expect.poll(() => answers.split('HTTP/1.1 200').length - 1, { timeout: 20_000 }).toBe(many);
    expect(seen).toEqual({ read: many, begun: many, bytes: many * bytes });
  },
);
