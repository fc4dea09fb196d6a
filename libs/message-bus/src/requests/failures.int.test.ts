import { connect, createInbox } from '@nats-io/transport-node';
import { eventually, startOwnNats } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import {
  connection,
  echoController,
  queryOf,
  startClient,
  startService,
  uniqueService,
} from '../bus.fixture.ts';
import { type BusReply, RequestTimedOut, RequestTooLarge, ServiceUnavailable } from '../wire/message.ts';
import { connectBusClient } from './client.ts';

const bodyOf = (reply: BusReply) => JSON.parse(reply.kind === 'ok' ? reply.body : 'null');

test('a service that closes under load answers all it was given; another copy takes the rest', async () => {
  const service = uniqueService();
  const leaving = await startService(service, [echoController(service, 'leaving')]);
  await startService(service, [echoController(service, 'staying')]);
  const client = await startClient();
  const names: unknown[] = [];
  let isClosing = true;
  const closed = (async () => {
    await eventually(() => expect(leaving.server.load.running).toBeGreaterThan(0), undefined, 1);
    await leaving.app.close();
    isClosing = false;
  })();
  const ask = async (ms: number) => {
    names.push(bodyOf(await client.request(queryOf(service, 'wait', { ms }))).name);
  };
  const asking = Array.from({ length: 400 }, async () => {
    while (isClosing) await ask(20);
  });
  await closed;
  await Promise.all(asking);
  await ask(1);
  expect(new Set(names)).toEqual(new Set(['leaving', 'staying']));
  expect(names.at(-1)).toBe('staying');
});

test('a service that closes alone answers all it was given, and is then unavailable', async () => {
  const service = uniqueService();
  const { app } = await startService(service, [echoController(service)], { maxRunning: 4 });
  const client = await startClient();
  const waiting = Array.from({ length: 50 }, () => client.request(queryOf(service, 'wait', { ms: 5 })));
  await client.request(queryOf(service, 'echo'));
  await app.close();
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(Array(50).fill('ok'));
  await expect(client.request(queryOf(service, 'echo'))).rejects.toThrow(ServiceUnavailable);
});

test('a client that closes waits for its answers and asks nothing more', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await connectBusClient({ servers: inject('natsUrl'), name: 'test' });
  const reply = client.request(queryOf(service, 'wait', { ms: 50 }));
  await client.close();
  expect((await reply).kind).toBe('ok');
  await expect(client.request(queryOf(service, 'echo'))).rejects.toThrow(ServiceUnavailable);
});

test('a request that NATS does not carry fails clearly, and disturbs no other', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await startClient();
  const [tooLarge, large, small] = await Promise.allSettled([
    client.request(queryOf(service, 'echo', 'x'.repeat(1_100_000))),
    client.request(queryOf(service, 'echo', 'x'.repeat(900_000))),
    client.request(queryOf(service, 'echo', 'small')),
  ]);
  expect(tooLarge).toMatchObject({ reason: expect.any(RequestTooLarge) });
  expect(large).toMatchObject({ value: { kind: 'ok' } });
  expect(small).toMatchObject({ value: { kind: 'ok' } });
});

test('a reply that NATS does not carry in one message arrives whole, and holds up no other', async () => {
  const service = uniqueService();
  const { server } = await startService(service, []);
  const large = JSON.stringify('🏢ä1'.repeat(700_000));
  server.addHandler(`qry.${service}.large`, async () => ({ kind: 'ok', body: large, version: 3 }));
  server.addHandler(`qry.${service}.small`, async () => ({ kind: 'ok', body: '1' }));
  const client = await startClient();
  const replies = await Promise.all(
    ['large', 'small', 'large'].map((name) => client.request(queryOf(service, name))),
  );
  expect(replies[1]).toEqual({ kind: 'ok', body: '1' });
  for (const reply of [replies[0], replies[2]]) {
    expect(reply).toMatchObject({ kind: 'ok', version: 3 });
    expect(reply?.kind === 'ok' && reply.body === large).toBe(true);
  }
});

test('an answer to a single message whose connection is closed meanwhile is given up, and nothing else with it', async () => {
  const service = uniqueService();
  const bus = await connection();
  const handled: string[] = [];
  const { promise: mayAnswer, resolve: goOn } = Promise.withResolvers<void>();
  const { server } = await startService(service, [], {
    connection: bus,
    onHandled: ({ subject }) => handled.push(subject),
  });
  server.addHandler(`qry.${service}.slow`, async () => {
    await mayAnswer;
    return { kind: 'ok', body: '1' };
  });
  const nats = await connection();
  nats.publish(`qry.${service}.slow`, '{}', { reply: createInbox() });
  await eventually(() => expect(server.load.running).toBe(1));
  await bus.close();
  goOn();
  await eventually(() => expect(handled).toEqual([`qry.${service}.slow`]));
});

test('on a server that takes small messages only, bursts and large replies arrive all the same', async () => {
  const service = uniqueService();
  const own = await startOwnNats({ maxPayloadBytes: 64 * 1024 });
  onTestFinished(() => own.stop());
  const { server } = await startService(service, [echoController(service)], { servers: own.url });
  const large = JSON.stringify('ä'.repeat(200_000));
  server.addHandler(`qry.${service}.large`, async () => ({ kind: 'ok', body: large }));
  const client = await startClient({ servers: own.url });
  const texts = Array.from({ length: 100 }, (_, n) => `${n}`.repeat(2_000));
  const replies = await Promise.all(texts.map((text) => client.request(queryOf(service, 'echo', text))));
  expect(replies.map((reply) => bodyOf(reply).payload)).toEqual(texts);
  expect(await client.request(queryOf(service, 'large'))).toMatchObject({ kind: 'ok', body: large });
});

test('a reply beyond all bounds, or too large for a single message, becomes a defect and disturbs no other', async () => {
  const service = uniqueService();
  const { server } = await startService(service, []);
  const replyOf = (length: number) => async () => ({ kind: 'ok', body: JSON.stringify('x'.repeat(length)) });
  server.addHandler(`qry.${service}.endless`, replyOf(41 * 1024 * 1024));
  server.addHandler(`qry.${service}.large`, replyOf(1_100_000));
  server.addHandler(`qry.${service}.small`, async () => ({ kind: 'ok', body: '1' }));
  const client = await startClient();
  const tooLarge = {
    kind: 'rejected',
    rejection: { code: 'internal', details: { reason: 'reply_too_large' } },
  };
  expect(
    await Promise.all([
      client.request(queryOf(service, 'endless')),
      client.request(queryOf(service, 'small')),
    ]),
  ).toEqual([tooLarge, { kind: 'ok', body: '1' }]);
  const nats = await connect({ servers: inject('natsUrl') });
  onTestFinished(() => nats.close());
  const single = await nats.request(`qry.${service}.large`, '{}', { timeout: 60_000 });
  expect(single.json()).toEqual(tooLarge.rejection);
});

test('when the server dies, requests in flight end at once, and later ones work when it is back', async () => {
  const service = uniqueService();
  const own = await startOwnNats();
  onTestFinished(() => own.stop());
  await startService(service, [echoController(service)], { servers: own.url, drainTimeoutMs: 100 });
  const client = await startClient({ servers: own.url });
  const inFlight = Promise.allSettled(
    Array.from({ length: 10 }, () =>
      client.request(queryOf(service, 'wait', { ms: 60_000 }, { timeoutMs: 60_000 })),
    ),
  );
  await client.request(queryOf(service, 'echo'));
  await own.kill();
  for (const reply of await inFlight) expect(reply).toMatchObject({ reason: expect.any(RequestTimedOut) });
  await expect(client.request(queryOf(service, 'echo'))).rejects.toThrow(ServiceUnavailable);
  await own.start();
  await eventually(async () => expect((await client.request(queryOf(service, 'echo', 1))).kind).toBe('ok'));
});

test('a server killed again and again leaves no request without an end', async () => {
  const service = uniqueService();
  const own = await startOwnNats();
  onTestFinished(() => own.stop());
  await startService(service, [echoController(service)], { servers: own.url, drainTimeoutMs: 100 });
  const client = await startClient({ servers: own.url });
  let isRunning = true;
  const ends = { answered: 0, unavailable: 0, timedOut: 0 };
  const asker = async () => {
    while (isRunning) {
      try {
        await client.request(queryOf(service, 'wait', { ms: 2 }, { timeoutMs: 2000 }));
        ends.answered += 1;
      } catch (error) {
        if (error instanceof ServiceUnavailable) ends.unavailable += 1;
        else if (error instanceof RequestTimedOut) ends.timedOut += 1;
        else throw error;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  };
  const askers = Array.from({ length: 16 }, asker);
  for (let round = 1; round <= 3; round += 1) {
    const before = ends.answered;
    await eventually(() => expect(ends.answered).toBeGreaterThan(before + 50));
    await own.kill();
    await own.start();
  }
  const before = ends.answered;
  await eventually(() => expect(ends.answered).toBeGreaterThan(before));
  isRunning = false;
  await Promise.all(askers);
  expect(ends.unavailable + ends.timedOut).toBeGreaterThan(0);
});
