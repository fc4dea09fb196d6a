import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { eventually, listen } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { answering, ok } from './endpoints.fixture.ts';
import { createOutgoingHttp, type OutgoingHttpOptions } from './index.ts';
import { refusedTargets } from './targets.fixture.ts';

const client = (options: Partial<OutgoingHttpOptions> = {}) => {
  const http = createOutgoingHttp({ allowLoopback: true, ...options });
  onTestFinished(() => http.close());
  return http;
};
const get = (port: number, path = '/') =>
  ({ method: 'GET', url: `http://127.0.0.1:${port}${path}` }) as const;

test('an answer comes with status, headers and body', async () => {
  const endpoint = await listen(answering(ok('hällo', 'x-a: 1\r\nx-a: 2\r\n')));
  expect(await client().request(get(endpoint.port))).toEqual({
    kind: 'answered',
    status: 200,
    headers: { 'content-length': '6', 'x-a': '1, 2' },
    body: 'hällo',
    isBodyCut: false,
    durationMs: expect.any(Number),
  });
});

test.each([
  ['text/plain; charset=ISO-8859-1', Buffer.from('M\xfcller', 'latin1'), 'Müller'],
  ['application/json;charset="windows-1252"', Buffer.from('"M\xfcller \x80"', 'latin1'), '"Müller €"'],
  ['text/plain; charset=nobodys', Buffer.from('Müller'), 'Müller'],
  ['application/json', Buffer.from('\ufeff{"name":"Müller"}'), '{"name":"Müller"}'],
])('a body of %s is read as what it is', async (type, body, text) => {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\ncontent-type: ${type}\r\n\r\n`;
  const endpoint = await listen(answering(Buffer.concat([Buffer.from(head), body])));
  expect(await client().request(get(endpoint.port))).toMatchObject({ status: 200, body: text });
});

const packed = (encoding: string, body: Buffer) => {
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\ncontent-encoding: ${encoding}\r\n\r\n`;
  return listen(answering(Buffer.concat([Buffer.from(head), body])));
};

test.each([
  ['gzip', gzipSync('Müller'), 'Müller'],
  ['X-GZIP', gzipSync('Müller'), 'Müller'],
  ['deflate', deflateSync('Müller'), 'Müller'],
  ['br', brotliCompressSync('Müller'), 'Müller'],
  ['gzip', Buffer.alloc(0), ''],
])('a body that is packed by %s is read unpacked', async (encoding, body, text) => {
  const { port } = await packed(encoding, body);
  expect(await client().request(get(port))).toMatchObject({
    status: 200,
    headers: { 'content-length': String(body.length) },
    body: text,
    isBodyCut: false,
  });
});

test('a body that is packed is told without its encoding once it is unpacked, and as it came where it cannot be', async () => {
  const plain = await client().request(get((await packed('gzip', gzipSync('a'))).port));
  expect(plain).not.toHaveProperty(['headers', 'content-encoding']);
  const unknown = await client().request(get((await packed('nobodys', Buffer.from('a'))).port));
  expect(unknown).toMatchObject({ headers: { 'content-encoding': 'nobodys' }, body: 'a' });
  const none = await client().request(get((await packed('gzip', Buffer.from('not packed'))).port));
  expect(none).toMatchObject({ status: 200, body: '', isBodyCut: true });
});

test('of a small body that is large unpacked no more is read than of any other', async () => {
  const { port } = await packed('gzip', gzipSync(Buffer.alloc(10_000_000)));
  const result = await client({ maxBodyBytes: 1_000 }).request(get(port));
  expect(result).toMatchObject({ status: 200, body: '\0'.repeat(1_000), isBodyCut: true });
});

test('a name is looked up, and localhost is known without a name server', async () => {
  const endpoint = await listen(answering(ok()));
  const http = client({ resolve: async () => ['127.0.0.1'] });
  for (const host of ['hooks.example', 'localhost'])
    expect(await http.request({ method: 'GET', url: `http://${host}:${endpoint.port}/` })).toMatchObject({
      status: 200,
    });
  expect(await client().request({ method: 'GET', url: `http://localhost:${endpoint.port}/` })).toMatchObject({
    status: 200,
  });
});

test('no request reaches what the corpus forbids, at the level of TCP', async () => {
  const trap = await listen((socket) => socket.destroy());
  const http = client({ allowLoopback: false });
  for (const target of refusedTargets) {
    const url = target.replace('PORT', String(trap.port));
    expect(await http.request({ method: 'POST', url, body: 'x' })).toMatchObject({
      kind: 'failed',
      reason: 'refused',
      message: 'The URL is not allowed.',
    });
  }
  expect(trap.connections()).toBe(0);
});

test('no request reaches a forbidden address by way of a name', async () => {
  const trap = await listen((socket) => socket.destroy());
  const answers = [['127.0.0.1'], ['93.184.215.14', '127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['0.0.0.0']];
  for (const addresses of answers) {
    const http = client({ allowLoopback: false, resolve: async () => addresses });
    for (const scheme of ['http', 'https'])
      expect(
        await http.request({ method: 'GET', url: `${scheme}://inside.example:${trap.port}/` }),
      ).toMatchObject({ kind: 'failed', reason: 'refused' });
  }
  expect(trap.connections()).toBe(0);
});

test('a name that was harmless when its connection was made is judged again for the next connection', async () => {
  const endpoint = await listen(answering(ok('', 'connection: close\r\n')));
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
  const http = client({ resolve: async () => answers.shift() ?? [] });
  const request = { method: 'GET', url: `http://rebind.example:${endpoint.port}/` } as const;
  expect(await http.request(request)).toMatchObject({ status: 200 });
  expect(await http.request(request)).toMatchObject({ reason: 'refused' });
  expect(await http.request(request)).toMatchObject({ status: 200 });
  expect(endpoint.connections()).toBe(2);
});

test('the trap would notice: with loopback allowed it is reached', async () => {
  const trap = await listen((socket) => socket.destroy());
  expect(await client().request(get(trap.port))).toMatchObject({ reason: 'connection_closed' });
  expect(trap.connections()).toBe(1);
});

test('a redirect is an answer and is not followed', async () => {
  const trap = await listen((socket) => socket.destroy());
  const location = `location: http://127.0.0.1:${trap.port}/\r\n`;
  for (const status of ['301 Moved', '302 Found', '307 Temporary', '308 Permanent']) {
    const endpoint = await listen(answering(`HTTP/1.1 ${status}\r\n${location}content-length: 0\r\n\r\n`));
    expect(await client().request(get(endpoint.port))).toMatchObject({ kind: 'answered' });
  }
  expect(trap.connections()).toBe(0);
});

test('an endpoint that never answers, or drips, is left at the deadline', async () => {
  const drip = (start: string) => (socket: import('node:net').Socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const http = client({ timeoutMs: 300 });
  const silent = await listen(() => undefined);
  const head = await listen(drip('HTTP/1.1 200 OK\r\nx-'));
  const body = await listen(drip('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n'));
  const [a, b] = await Promise.all([silent, head].map(({ port }) => http.request(get(port))));
  expect(a).toMatchObject({ reason: 'timeout', message: 'There was no answer in time.' });
  expect(b).toMatchObject({ reason: 'timeout' });
  // Where this process stands still, nothing of the answer is there at the deadline.
  await eventually(async () => {
    const c = await http.request(get(body.port));
    expect(c).toMatchObject({ status: 200, isBodyCut: true, body: expect.stringMatching(/^x+$/) });
  });
});

test('of a large body no more than 20 kB is read, and the connection is closed', async () => {
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const endpoint = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n');
    const pump = () => {
      while (socket.writable && socket.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    socket.on('drain', pump);
    pump();
  });
  const answer = await client().request(get(endpoint.port));
  expect(answer).toMatchObject({ status: 200, isBodyCut: true });
  expect(answer.kind === 'answered' && answer.body.length).toBe(20_000);
  // What the kernel's buffers hold on the way, and no more.
  expect(sent).toBeLessThan(16 * 1024 * 1024);
});

test.each([
  ['refuses', undefined, 'connection_failed'],
  ['resets', (socket: import('node:net').Socket) => socket.resetAndDestroy(), 'connection_closed'],
  ['speaks no HTTP', answering('SSH-2.0-OpenSSH_9.6\r\n'), 'not_http'],
  ['sends endless headers', answering(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`), 'not_http'],
  ['breaks off in the header', answering('HTTP/1.1 200 OK\r\nx-'), 'connection_closed'],
])('an endpoint that %s is told apart', async (_, behaviour, reason) => {
  const port = behaviour ? (await listen(behaviour)).port : 1;
  const result = await client().request(get(port));
  expect(result).toMatchObject({ kind: 'failed', reason });
  expect(result.kind === 'failed' && result.message).not.toMatch(/127|ECONN|UND_ERR|undici|socket/i);
});

test('TLS that cannot be trusted, or is none, is told apart', async () => {
  const plain = await listen(answering(ok()));
  expect(await client().request({ method: 'GET', url: `https://localhost:${plain.port}/` })).toMatchObject({
    kind: 'failed',
    reason: 'tls',
  });
});

test('a name that does not exist is told apart', async () => {
  const http = client({ resolve: () => Promise.reject(new Error('NXDOMAIN from 10.0.0.53')) });
  expect(await http.request({ method: 'GET', url: 'http://nothing.example/' })).toMatchObject({
    reason: 'host_not_found',
    message: 'The host name could not be resolved.',
  });
});

test('at most four requests to an endpoint run at a time, and another endpoint is not held up', async () => {
  let open = 0;
  let most = 0;
  const { promise: mayAnswer, resolve: goOn } = Promise.withResolvers<void>();
  const slow = await listen((socket) => {
    socket.once('data', async () => {
      open += 1;
      most = Math.max(most, open);
      await mayAnswer;
      open -= 1;
      socket.end(ok('', 'connection: close\r\n'));
    });
  });
  const quick = await listen(answering(ok()));
  const http = client();
  const many = Array.from({ length: 20 }, () => http.request(get(slow.port)));
  await eventually(() => expect(open).toBe(4));
  expect(await http.request(get(quick.port))).toMatchObject({ status: 200 });
  goOn();
  const results = await Promise.all(many);
  for (const result of results) expect(result).toMatchObject({ status: 200 });
  expect(most).toBe(4);
});

test('headers cannot be injected, and those that frame the message are ours', async () => {
  const seen: string[] = [];
  const endpoint = await listen((socket) => {
    socket.once('data', (data) => {
      seen.push(data.toString('latin1'));
      socket.end(ok());
    });
  });
  const http = client();
  const bad: Record<string, string>[] = [
    { 'x-a': 'b\r\nx-injected: 1' },
    { 'x-a\r\nx-injected': '1' },
    { 'x-a': 'b\u0000' },
    { Host: 'internal.example' },
    { 'Content-Length': '3' },
    { 'transfer-encoding': 'chunked' },
    { connection: 'upgrade' },
  ];
  for (const headers of bad)
    expect(await http.request({ ...get(endpoint.port), headers })).toMatchObject({
      reason: 'invalid_request',
    });
  expect(await http.request({ ...get(endpoint.port, '/a?b=🏢#c'), headers: { 'x-a': 'b' } })).toMatchObject({
    status: 200,
  });
  expect(seen).toEqual([
    expect.stringMatching(
      /^GET \/a\?b=%F0%9F%8F%A2 HTTP\/1.1\r\nhost: 127.0.0.1:\d+\r\nconnection: keep-alive\r\nx-a: b\r\n\r\n$/,
    ),
  ]);
});

test('a caller may give up, before its turn and during the request', async () => {
  const silent = await listen(() => undefined);
  const http = client();
  const leaving = new AbortController();
  const requests = Array.from({ length: 6 }, () =>
    http.request({ ...get(silent.port), signal: leaving.signal }),
  );
  await eventually(() => expect(silent.connections()).toBe(4));
  leaving.abort();
  for (const result of await Promise.all(requests)) expect(result).toMatchObject({ reason: 'aborted' });
});

test('what is under way when it closes is given up, and so is what waits for its turn or comes later', async () => {
  const silent = await listen(() => undefined);
  const http = createOutgoingHttp({ allowLoopback: true, maxPerEndpoint: 1 });
  const requests = [1, 2].map(() => http.request(get(silent.port)));
  await eventually(() => expect(silent.connections()).toBe(1));
  await http.close();
  for (const result of await Promise.all([...requests, http.request(get(silent.port))]))
    expect(result).toMatchObject({ kind: 'failed', reason: 'aborted' });
});
