import { createOutgoingHttp } from '@parley/outgoing-http';
import { eventually, startLocalServer } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { ActionContext } from './action.ts';
import { httpRequest } from './http-request.ts';

/** A host at which many have endpoints; `/slow` never answers. */
async function startHost() {
  const asked: string[] = [];
  const url = await startLocalServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url !== '/slow') response.end();
  });
  return { url, asked };
}

const contextOf = (accountId: number, signal: AbortSignal): ActionContext => ({
  accountId,
  automationId: 1,
  runId: 'run',
  correlationId: 'request',
  causationId: 'event',
  chainDepth: 0,
  effectKey: 'key',
  freshStarts: 0,
  connection: null,
  now: '2026-11-21T09:30:00.000Z',
  signal,
});

test('an account whose endpoint is slow holds up nobody else at the same host, and itself as far as its places go', async () => {
  const http = createOutgoingHttp({ allowLoopback: true, maxPerEndpoint: 2 });
  onTestFinished(() => http.close());
  const host = await startHost();
  const { run } = httpRequest(http);
  const ended = new AbortController();
  const call = (accountId: number, path: string) =>
    run({ method: 'GET', url: host.url + path }, contextOf(accountId, ended.signal));
  const slow = Promise.all([1, 2, 3].map(() => call(1, '/slow')));
  await eventually(() => expect(host.asked).toHaveLength(2));
  const waiting = call(1, '/quick');
  expect(await call(2, '/quick')).toMatchObject({ ok: true, output: { status: 200 } });
  expect(host.asked).toEqual(['/slow', '/slow', '/quick']);
  ended.abort();
  for (const outcome of [...(await slow), await waiting])
    expect(outcome).toMatchObject({ ok: false, code: 'ABORTED' });
});

test('who finds no place at a host in time has sent nothing, and takes its turn later at no cost of attempts', async () => {
  const http = createOutgoingHttp({ allowLoopback: true, maxPerEndpoint: 1, maxWaitMs: 20 });
  onTestFinished(() => http.close());
  const host = await startHost();
  const { run } = httpRequest(http);
  const ended = new AbortController();
  const call = (path: string) => run({ method: 'GET', url: host.url + path }, contextOf(1, ended.signal));
  const slow = call('/slow');
  await eventually(() => expect(host.asked).toHaveLength(1));
  const outcome = await call('/quick');
  expect(outcome).toMatchObject({ ok: false, code: 'NO_PLACE', transient: true, definite: true });
  expect(outcome).toMatchObject({ retryAfterSeconds: 1 });
  expect(outcome).not.toHaveProperty('costsAttempt');
  expect(host.asked).toEqual(['/slow']);
  ended.abort();
  expect(await slow).toMatchObject({ ok: false, code: 'ABORTED' });
  expect(
    await run({ method: 'GET', url: `${host.url}/quick` }, contextOf(1, new AbortController().signal)),
  ).toMatchObject({ ok: true });
});

test('a header is sent once, however the connection writes its name: how deep the run is cannot be hidden by another', async () => {
  const http = createOutgoingHttp({ allowLoopback: true });
  onTestFinished(() => http.close());
  const received: (readonly string[])[] = [];
  const url = await startLocalServer((request, response) => {
    received.push(request.rawHeaders.map((text) => text.toLowerCase()));
    response.end();
  });
  const send = (header: string, headers: Record<string, string>) => {
    const connection = { kind: 'http_header', id: '1', value: { header, username: null, secret: '0' } };
    const context = { ...contextOf(1, AbortSignal.timeout(10_000)), chainDepth: 3, connection };
    return httpRequest(http).run({ method: 'GET', url, headers }, context);
  };
  await send('X-Parley-Chain-Depth', {});
  await send('X-Api-Key', { 'X-API-Key': 'old' });
  const valuesOf = (sent: readonly string[] = [], name: string) =>
    sent.filter((_, at) => at % 2 === 1 && sent[at - 1] === name);
  expect(valuesOf(received[0], 'x-parley-chain-depth')).toEqual(['3']);
  expect(valuesOf(received[1], 'x-api-key')).toEqual(['0']);
});

test('what is added to the query of a URL leaves the rest of it as it is written', async () => {
  const http = createOutgoingHttp({ allowLoopback: true });
  onTestFinished(() => http.close());
  const host = await startHost();
  const { run } = httpRequest(http);
  const { signal } = new AbortController();
  const call = (path: string, query?: Record<string, string | number>) =>
    run({ method: 'GET', url: host.url + path, ...(query && { query }) }, contextOf(1, signal));
  await call('/a?q=b%20c&sig=x+y%2F', { n: 1, t: 'c d&e' });
  await call('/b#part', { n: 2 });
  await call('/c?', { n: 3 });
  await call('/d?q=b%20c', {});
  await call('/e?q=b%20c');
  expect(host.asked).toEqual([
    '/a?q=b%20c&sig=x+y%2F&n=1&t=c+d%26e',
    '/b?n=2',
    '/c?n=3',
    '/d?q=b%20c',
    '/e?q=b%20c',
  ]);
});
