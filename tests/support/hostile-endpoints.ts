import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** What a server does with a connection. */
type Behaviour = (socket: Socket) => void;

const head = 'HTTP/1.1 200 OK\r\n';
const tenMegabytes = 10 * 1024 * 1024;

const nothing: Behaviour = () => undefined;
/** Says it as soon as something of the request is there, whatever of it is still to come. */
const says =
  (...words: readonly (string | Buffer)[]): Behaviour =>
  (socket) =>
    socket.once('data', () => {
      for (const each of words) socket.write(each);
    });
const saysAndEnds =
  (text: string): Behaviour =>
  (socket) =>
    socket.once('data', () => socket.end(text));
const drips =
  (start: string, drip = 'x'): Behaviour =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(drip), 1_000);
    socket.on('close', () => clearInterval(timer));
  };
/** As much as is taken, until `bytes` have gone. */
const floods =
  (start: string, chunk: string, bytes = Number.POSITIVE_INFINITY): Behaviour =>
  (socket) => {
    let sent = 0;
    const pump = () => {
      while (socket.writable && sent < bytes) {
        sent += chunk.length;
        if (!socket.write(chunk)) return;
      }
    };
    socket.write(start);
    socket.on('drain', pump);
    pump();
  };
const late =
  (text: string, ms: number): Behaviour =>
  (socket) =>
    socket.once('data', () => {
      const timer = setTimeout(() => socket.write(text), ms);
      socket.on('close', () => clearTimeout(timer));
    });

const kibibyte = 'x'.repeat(1024);
const bomb = gzipSync(Buffer.alloc(tenMegabytes));

const overHttp: Readonly<Record<string, Behaviour>> = {
  'never answers': nothing,
  'drips a header': drips(`${head}x-`),
  'drips a body': drips(`${head}content-length: 1000\r\n\r\n`),
  'says over and over that it is at it': drips('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'resets in the answer': (socket) =>
    socket.once('data', () => {
      socket.write(`${head}content-length: 10\r\n\r\nx`, () => socket.resetAndDestroy());
    }),
  'ends without a word': (socket) => socket.once('data', () => socket.end()),
  'breaks off in a header': saysAndEnds(`${head}x-`),
  'promises more than it sends': saysAndEnds(`${head}content-length: 1000\r\n\r\nx`),
  'answers 10 MB': floods(
    `${head}content-length: ${tenMegabytes}\r\n\r\n`,
    kibibyte.repeat(64),
    tenMegabytes,
  ),
  'answers without an end': floods(`${head}transfer-encoding: chunked\r\n\r\n`, `400\r\n${kibibyte}\r\n`),
  'answers 10 MB in a small parcel': says(
    `${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`,
    bomb,
  ),
  'sends headers without an end': floods(head, `x-a: ${kibibyte}\r\n`),
  'counts its chunks wrongly': says(`${head}transfer-encoding: chunked\r\n\r\nzz\r\nx\r\n`),
  'speaks no HTTP': saysAndEnds('220 mail ESMTP\r\n'),
  'refuses after 14 s': late('HTTP/1.1 500 Late\r\ncontent-length: 0\r\n\r\n', 14_000),
};

export interface HostileEndpoints {
  /** A URL for each kind of endpoint that a customer may have. */
  readonly urls: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Twenty endpoints, each hostile in its own way. */
export async function startHostileEndpoints(): Promise<HostileEndpoints> {
  const sockets = new Set<Socket>();
  const servers = new Set<ReturnType<typeof createServer>>();
  const listen = async (behaviour: Behaviour): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
      behaviour(socket);
    });
    servers.add(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const urls: Record<string, string> = {
    'lets nobody in': 'http://127.0.0.1:1/',
    'has no such name': `http://${randomUUID()}.invalid/`,
    'is silent where TLS is expected': `https://127.0.0.1:${await listen(nothing)}/`,
    'is no TLS': `https://127.0.0.1:${await listen(saysAndEnds(`${head}content-length: 0\r\n\r\n`))}/`,
  };
  for (const [name, behaviour] of Object.entries(overHttp))
    urls[name] = `http://127.0.0.1:${await listen(behaviour)}/`;
  return {
    urls,
    async close() {
      const closed = [...servers].map((server) => once(server.close(), 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}
