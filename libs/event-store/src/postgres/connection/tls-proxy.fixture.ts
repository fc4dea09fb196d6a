import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { onTestFinished } from 'vitest';

/** Ciphers that need no certificate. */
const anonymous = 'ADH-AES256-GCM-SHA384:@SECLEVEL=0';

/** The URL of a Postgres that wants TLS, in front of the one that is given; for the current test. */
export async function startTlsProxy(postgresUrl: string): Promise<string> {
  const url = new URL(postgresUrl);
  const [port, host] = [Number(url.port), url.hostname];
  const { DEFAULT_CIPHERS: usual } = tls;
  tls.DEFAULT_CIPHERS = anonymous;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    client.once('data', () => {
      client.write('S');
      const secureContext = tls.createSecureContext({
        ciphers: anonymous,
        dhparam: 'auto',
        maxVersion: 'TLSv1.2',
      });
      const secured = new tls.TLSSocket(client, { isServer: true, secureContext });
      for (const socket of [client, upstream, secured]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
      }
      secured.pipe(upstream).pipe(secured);
      secured.once('close', () => upstream.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  onTestFinished(() => {
    tls.DEFAULT_CIPHERS = usual;
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  url.port = String(address.port);
  url.searchParams.set('sslmode', 'no-verify');
  return url.href;
}
