import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { getPublication, operatorSubject, publishAgain } from '@parley/contracts';
import { connectBusClient, internalContext } from '@parley/message-bus';
import { createLogger } from '@parley/process-kit';
import { eventually, startOwnNats } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { serviceConfig } from '../config.ts';
import { notesService } from '../notes-service.fixture.ts';
import { startService } from './start-service.ts';

/**
 * The way to a nats-server whose disk is full, as 2.9 behaves: of a connection that brings events it reads nothing more,
 * not even when there is room again, until it is started anew.
 */
async function startStuckNats(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isStuck = true;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.pipe(upstream).pipe(client);
    client.on('data', (bytes) => {
      if (isStuck && bytes.includes('HPUB evt.')) client.unpipe(upstream).pause();
    });
    for (const socket of [client, upstream])
      sockets.add(
        socket.on('error', () => undefined).on('close', () => client.destroy() && upstream.destroy()),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    startAnew() {
      isStuck = false;
      for (const socket of sockets) socket.destroy();
    },
    close: () => void server.close(),
  };
}

test('requests are answered while nats-server reads none of the events, and these follow when it does again', async () => {
  const nats = await startOwnNats();
  const stuck = await startStuckNats(nats.url);
  const config = serviceConfig.parse({
    DATABASE_URL: inject('postgresUrl'),
    DATABASE_PREFIX: `test_${randomBytes(6).toString('hex')}`,
    NATS_URL: stuck.url,
  });
  const logger = createLogger({ service: 'assistants', level: 'silent' });
  const service = await startService(notesService, config, logger);
  const client = await connectBusClient({ servers: nats.url, name: 'test' });
  onTestFinished(async () => {
    await Promise.all([client.close(), service.close()]);
    stuck.close();
    await nats.stop();
  });
  const ask = (subject: string, payload: object, timeoutMs = 60_000) =>
    client.request({
      service: 'assistants',
      subject,
      payload: JSON.stringify(payload),
      context: internalContext({
        accountId: null,
        actor: { kind: 'operator', id: 'test' },
        commandId: randomUUID(),
        correlationId: randomUUID(),
        timeoutMs,
      }),
    });
  const take = (id: number) => ask('cmd.assistants.take-note', { id, text: `n${id}` });
  expect(await take(1)).toMatchObject({ kind: 'ok' });
  const sendingAgain = ask(operatorSubject('assistants', publishAgain), { from: 1 });
  for (let id = 2; id <= 100; id += 1) expect(await take(id)).toMatchObject({ kind: 'ok' });
  // Whoever has the log sent again is told what may be wrong.
  expect(await sendingAgain).toMatchObject({
    rejection: { code: 'unavailable', message: expect.stringContaining('room on the disk of nats-server') },
  });
  stuck.startAnew();
  await eventually(async () => {
    // What is on its way to the service as its connection breaks gets no answer.
    const answer = await ask(operatorSubject('assistants', getPublication), {}, 2_000);
    // Each note with its echo.
    expect(JSON.parse(answer.kind === 'ok' ? answer.body : '{}')).toMatchObject({ position: 200, head: 200 });
  });
});
