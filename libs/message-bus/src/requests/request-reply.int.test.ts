import { connect, headers } from '@nats-io/transport-node';
import { expect, inject, onTestFinished, test } from 'vitest';
import {
  echoController,
  queryOf,
  startClient,
  startService,
  testContext,
  uniqueService,
} from '../bus.fixture.ts';
import { RequestTimedOut, ServiceUnavailable } from '../wire/message.ts';

const bodyOf = (reply: { kind: string; body?: string }) => JSON.parse(reply.body ?? 'null');

test('a request reaches its handler with its payload and context', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await startClient();
  const context = { correlationId: 'r\n"ü\u0000', accountId: 12, baseUrl: 'http://localhost:1' };
  const reply = await client.request(queryOf(service, 'echo', { text: 'a\nb\u2028😀' }, context));
  expect(reply.kind).toBe('ok');
  expect(bodyOf(reply)).toEqual({
    name: 'echo',
    payload: { text: 'a\nb\u2028😀' },
    subject: `qry.${service}.echo`,
    context: testContext(context),
  });
});

test('a thousand concurrent requests travel by the thirty-two and each gets its own answer', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const spy = await connect({ servers: inject('natsUrl') });
  onTestFinished(() => spy.close());
  const frames: string[] = [];
  spy.subscribe(`mux.${service}`, { callback: (_error, { subject }) => void frames.push(subject) });
  await spy.flush();
  const client = await startClient();
  const replies = await Promise.all(
    Array.from({ length: 1000 }, (_, n) => client.request(queryOf(service, 'echo', { n }))),
  );
  expect(replies.map((reply) => bodyOf(reply).payload.n)).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  await spy.flush();
  expect(frames).toHaveLength(32);
});

test('a handler that throws fails alone, and tells nothing', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await startClient();
  const replies = await Promise.all([
    client.request(queryOf(service, 'echo', 1)),
    client.request(queryOf(service, 'fail')),
    client.request(queryOf(service, 'nothing')),
    client.request({ ...queryOf(service, 'echo'), payload: '{' }),
    client.request(queryOf(service, 'unknown')),
    client.request(queryOf(service, 'echo', 2)),
  ]);
  expect(replies.map((reply) => (reply.kind === 'ok' ? bodyOf(reply).payload : reply.rejection))).toEqual([
    1,
    { code: 'internal' },
    { code: 'internal' },
    { code: 'malformed' },
    { code: 'unavailable', details: { reason: 'no_handler' } },
    2,
  ]);
});

test('a slow handler does not delay the fast ones of its frame', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await startClient();
  const order: string[] = [];
  await Promise.all([
    client.request(queryOf(service, 'wait', { ms: 150 })).then(() => order.push('slow')),
    client.request(queryOf(service, 'echo')).then(() => order.push('fast')),
  ]);
  expect(order).toEqual(['fast', 'slow']);
});

test('two copies of a service share the work, and each request is handled once', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service, 'a')]);
  await startService(service, [echoController(service, 'b')]);
  const client = await startClient();
  const names: string[] = [];
  for (let n = 0; n < 40; n += 1) names.push(bodyOf(await client.request(queryOf(service, 'echo'))).name);
  expect(new Set(names)).toEqual(new Set(['a', 'b']));
  expect(names).toHaveLength(40);
});

test('a service of which no copy is there is unavailable at once', async () => {
  const client = await startClient();
  const service = uniqueService();
  const replies = await Promise.allSettled([
    client.request(queryOf(service, 'echo')),
    client.request(queryOf(service, 'echo')),
  ]);
  for (const reply of replies) expect(reply).toMatchObject({ reason: expect.any(ServiceUnavailable) });
});

test('a request without an answer times out at its own deadline', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)], { drainTimeoutMs: 0 });
  const client = await startClient();
  const late = client.request(queryOf(service, 'wait', { ms: 60_000 }, { timeoutMs: 200 }));
  const fine = client.request(queryOf(service, 'wait', { ms: 1_000 }));
  const first = await Promise.race([late.catch((error: unknown) => error), fine]);
  expect(first).toBeInstanceOf(RequestTimedOut);
  expect((await fine).kind).toBe('ok');
});

test('a full client refuses at once', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const client = await startClient({ maxInFlight: 2 });
  const accepted = [1, 2].map(() => client.request(queryOf(service, 'wait', { ms: 50 })));
  await expect(client.request(queryOf(service, 'echo'))).rejects.toThrow(ServiceUnavailable);
  await Promise.all(accepted);
  expect((await client.request(queryOf(service, 'echo'))).kind).toBe('ok');
});

test('any NATS client can call a service with plain JSON and headers', async () => {
  const service = uniqueService();
  await startService(service, [echoController(service)]);
  const nats = await connect({ servers: inject('natsUrl') });
  onTestFinished(() => nats.close());
  const fields = headers();
  fields.append('parley-account', '5');
  fields.append('Parley-Actor', '{"kind":"operator","id":"me"}');
  const query = await nats.request(`qry.${service}.echo`, '{"a":1}', { headers: fields, timeout: 60_000 });
  expect(query.headers?.get('Parley-Status')).toBe('ok');
  expect(query.json()).toMatchObject({
    payload: { a: 1 },
    context: { accountId: 5, actor: { kind: 'operator', id: 'me' }, commandId: null, timeoutMs: 10_000 },
  });
  const command = await nats.request(`cmd.${service}.do`, '', { timeout: 60_000 });
  expect(command.json()).toEqual({ done: true });
  expect(command.headers?.get('Parley-Position')).toBe('12');
  expect(command.headers?.get('Parley-Version')).toBe('3');
  const unknown = await nats.request(`qry.${service}.unknown`, '{}', { timeout: 60_000 });
  expect(unknown.headers?.get('Parley-Status')).toBe('rejected');
  expect(unknown.json()).toMatchObject({ code: 'unavailable' });
  fields.set('Parley-Account', 'me');
  const malformed = await nats.request(`qry.${service}.echo`, '{}', { headers: fields, timeout: 60_000 });
  expect(malformed.json()).toMatchObject({ code: 'malformed' });
});
