import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@parley/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPlatform } from './platform.fixture.ts';
import { sendRaw, statusesIn } from './raw-socket.fixture.ts';

const { url, key, asked, folders } = await startPlatform();
const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
const json = 'Content-Type: application/json\r\n';
const folder = (name: string) => `{"name":"${name}"}`;
/** Resolves when a count has stayed for a while. */
async function settled(count: () => number): Promise<void> {
  for (let seen = Number.NaN; seen !== count(); await sleep(300)) seen = count();
}
const namesAsked = () => asked.map(({ payload }) => Object(payload).name);

describe('a request that two servers could read differently', () => {
  const smuggled = `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 19\r\n\r\n{"name":"smuggled"}`;
  const ambiguous: Record<string, string> = {
    'content length and chunks': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    'chunks and content length': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked\r\nContent-Length: 200\r\n\r\n0\r\n\r\n${smuggled}`,
    'two content lengths': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 0\r\nContent-Length: 19\r\n\r\n${smuggled}`,
    'two equal content lengths': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 19\r\nContent-Length: 19\r\n\r\n{"name":"smuggled"}`,
    'a list of content lengths': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 0, 19\r\n\r\n${smuggled}`,
    'a signed content length': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: +19\r\n\r\n{"name":"smuggled"}`,
    'a folded header': `GET /api/user/folders HTTP/1.1\r\n${head}X-Long: a\r\n b\r\n\r\n${smuggled}`,
    'a space before the colon': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length : 19\r\n\r\n{"name":"smuggled"}`,
    'another transfer encoding': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    'chunked, but not last': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    'bare line feeds': `POST /api/user/folder HTTP/1.1\n${head.replaceAll('\r', '')}Content-Type: application/json\nContent-Length: 19\n\n{"name":"smuggled"}`,
    'a bare carriage return': `GET /api/user/folders HTTP/1.1\r\n${head}X-A: a\rb\r\n\r\n${smuggled}`,
    'a NUL in a header': `GET /api/user/folders HTTP/1.1\r\n${head}X-A: a\u0000b\r\n\r\n${smuggled}`,
    'no host': `GET /api/user/folders HTTP/1.1\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    'two hosts': `GET /api/user/folders HTTP/1.1\r\nHost: b\r\n${head}Connection: close\r\n\r\n`,
    'an absolute target': `GET http://other/api/user/folders HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    'no version': `GET /api/user/folders\r\n\r\n`,
    'another version': `GET /api/user/folders HTTP/3.0\r\n${head}\r\n`,
    'a chunk with a wrong size': `POST /api/user/folder HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n{"name":"smuggled"}\r\n0\r\n\r\n`,
  };

  test.each(Object.entries(ambiguous))(
    'is 400, the connection ends, nothing else is read: %s',
    async (_, bytes) => {
      const { text, isClosed } = await sendRaw(url, bytes);
      expect(statusesIn(text)).toEqual([400]);
      expect(isClosed).toBe(true);
      expect(text).toMatch(/\r\n\r\n\{"message":"[^"]+"\}$/);
      expect(text.toLowerCase()).toContain('\r\nx-request-id: ');
      expect(text.toLowerCase()).toContain('\r\nx-content-type-options: nosniff');
      expect(namesAsked()).not.toContain('smuggled');
    },
  );
});

test('requests one after the other on a connection are answered in order', async () => {
  const post = (name: string, close = '') =>
    `POST /api/user/folder HTTP/1.1\r\n${head}${json}${close}Content-Length: ${folder(name).length}\r\n\r\n${folder(name)}`;
  const { text } = await sendRaw(url, post('one') + post('two') + post('three', 'Connection: close\r\n'));
  expect(statusesIn(text)).toEqual([201, 201, 201]);
  expect([...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)).toEqual(['one', 'two', 'three']);
});

describe('what a client sends ahead on a connection, and does not take,', () => {
  const many = 300;
  const sendAhead = (request: string) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    socket.pause().write(request.repeat(many));
    return socket;
  };

  test('is not begun before the answers before it have left, and answered as a whole', async () => {
    folders.pad(60_000);
    onTestFinished(() => folders.pad(0));
    const before = asked.length;
    const socket = sendAhead(`GET /api/user/folders HTTP/1.1\r\n${head}\r\n`);
    await eventually(() => expect(asked.length).toBeGreaterThan(before));
    await settled(() => asked.length);
    expect(asked.length - before).toBeLessThan(many / 2);
    const chunks: Buffer[] = [];
    socket
      .on('data', (chunk) => chunks.push(chunk))
      .write(`GET / HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    socket.resume();
    await once(socket, 'close');
    const statuses = statusesIn(Buffer.concat(chunks).toString('latin1'));
    expect([statuses.length, new Set(statuses.slice(0, many))]).toEqual([many + 1, new Set([200])]);
  });

  test('opens no files that stay open when it has gone', async () => {
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    const socket = sendAhead('GET /docs/static/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => expect(openFiles()).toBeGreaterThan(before));
    await settled(openFiles);
    expect(openFiles() - before).toBeLessThan(20);
    socket.destroy();
    await eventually(() => expect(openFiles()).toBeLessThanOrEqual(before));
  });
});

test('a client that waits for leave to send its body gets it, and an expectation that is unknown is passed over', async () => {
  const post = (expectation: string) =>
    `POST /api/user/folder HTTP/1.1\r\n${head}${json}Expect: ${expectation}\r\nConnection: close\r\nContent-Length: ${folder('kept').length}\r\n\r\n${folder('kept')}`;
  expect(statusesIn((await sendRaw(url, post('100-continue'))).text)).toEqual([100, 201]);
  expect(statusesIn((await sendRaw(url, post('200-ok'))).text)).toEqual([201]);
});

test('rubbish behind a request that is still being answered is not answered in its place', async () => {
  const bytes = `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 15\r\n\r\n${folder('kept')}rubbish\r\n\r\n`;
  const { text, isClosed } = await sendRaw(url, bytes);
  expect(isClosed).toBe(true);
  expect(text === '' || statusesIn(text)[0] === 201).toBe(true);
});

test('a head beyond 16 KiB is 431', async () => {
  const { text, isClosed } = await sendRaw(
    url,
    `GET /api/user/folders HTTP/1.1\r\nX-A: ${'x'.repeat(17_000)}\r\n\r\n`,
  );
  expect(statusesIn(text)).toEqual([431]);
  expect(text).toMatch(/\{"message":"The request headers are too large\."\}$/);
  expect(isClosed).toBe(true);
});

test('a caller that goes away in the middle leaves nothing behind', async () => {
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST /api/user/folder HTTP/1.1\r\n${head}${json}Content-Length: 100\r\n\r\n{"name":"gone`,
      );
      setImmediate(() => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
  const { text } = await sendRaw(url, `GET /api/user/folders HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
  expect(statusesIn(text)).toEqual([200]);
  expect(namesAsked()).not.toContain('gone');
});
