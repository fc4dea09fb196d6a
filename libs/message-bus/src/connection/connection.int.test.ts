import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { eventually, startOwnNats } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectToBus } from './connection.ts';

test('who waits for a server that is not there yet hears why, and is connected once it is', async () => {
  const nats = await startOwnNats();
  onTestFinished(() => nats.stop());
  await nats.kill();
  const heard: unknown[] = [];
  const connecting = connectToBus({
    servers: nats.url,
    name: 'test',
    onWaiting: (error) => heard.push(error),
  });
  await eventually(() => expect(String(heard[0])).toContain('connection refused'));
  await nats.start();
  const connection = await connecting;
  onTestFinished(() => connection.close());
  await connection.flush();
  expect(heard).toHaveLength(1);
});

test('a cluster that refuses us says so: to who waits for it, and to who does not', async () => {
  const servers = await startRefusingCluster();
  await expect(connectToBus({ servers, name: 'test' })).rejects.toThrow(/authorization violation/i);
  const hear = (error: unknown) => {
    throw error;
  };
  await expect(connectToBus({ servers, name: 'test', onWaiting: hear })).rejects.toThrow(
    /authorization violation/i,
  );
});

/** Both names are of one server, which names the other one to its clients, as a cluster does. */
async function startRefusingCluster(): Promise<string> {
  const server = createServer((socket) => {
    const { port } = server.address() as AddressInfo;
    const urls = [`127.0.0.1:${port}`, `localhost:${port}`];
    const info = { server_id: 'a', version: '2.9.10', max_payload: 1_048_576, proto: 1, connect_urls: urls };
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.once('data', () => socket.end("-ERR 'Authorization Violation'\r\n"));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `nats://parley:wrong@127.0.0.1:${(server.address() as AddressInfo).port}`;
}
