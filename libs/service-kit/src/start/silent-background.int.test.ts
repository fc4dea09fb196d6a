import { readFileSync } from 'node:fs';
import { findFreePort } from '@parley/embedded-servers';
import type { SqlExecutor } from '@parley/event-store';
import { type CuttingProxy, eventually, startCuttingProxy, startServiceCopies } from '@parley/testing';
import { expect, inject, onTestFinished, test } from 'vitest';
import { notesService } from '../notes-service.fixture.ts';

test('what works in the background waits for no answer over a connection that was lost without a word', async () => {
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  let sql: SqlExecutor | undefined;
  const service = {
    ...notesService,
    background(parts: Parameters<NonNullable<typeof notesService.background>>[0]) {
      sql = parts.sql;
      return {};
    },
  };
  const copies = await startServiceCopies(service, 1, { DATABASE_URL: proxy.url });
  onTestFinished(() => copies.close());
  const ask = () => sql?.query({ text: 'select 1 as answer' });
  expect((await ask())?.rows).toEqual([{ answer: 1 }]);
  proxy.goSilent({ newOnesToo: true });
  onTestFinished(() => proxy.loseAll());
  await expect(ask()).rejects.toThrow('Query read timeout');
});

test('that views cannot be kept current is counted, as what else fails in the background is', async () => {
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  const port = await findFreePort();
  const env = { DATABASE_URL: proxy.url, HEALTH_PORT: String(port) };
  const copies = await startServiceCopies({ ...notesService, background: () => ({}) }, 1, env);
  onTestFinished(() => copies.close());
  await proxy.close();
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(
      /parley_processor_problems_total\{processor="inline projections",kind="retrying".*\} [1-9]/,
    );
  });
});

test('what alerts look at is what a service shows', async () => {
  const rules = readFileSync(new URL('../../../../deploy/prometheus-rules.yml', import.meta.url), 'utf8');
  const port = await findFreePort();
  const copies = await startServiceCopies(notesService, 1, { HEALTH_PORT: String(port) });
  onTestFinished(() => copies.close());
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const names = new Set(rules.match(/parley_(?!http_)\w+/g));
  expect(names.size).toBeGreaterThan(3);
  for (const name of names) expect(metrics).toContain(`# TYPE ${name} `);
  // All services may be targets of one job: an alert tells which it is about, and adds up no others.
  const groups = [...rules.matchAll(/(?:max|sum) by \((.+?)\) \(/g)].map(([, labels]) => labels?.split(', '));
  const ofServices = groups.filter((labels) => !labels?.includes('le'));
  expect(ofServices).toHaveLength(5);
  for (const labels of ofServices) expect(labels).toContain('service');
  expect(metrics).toMatch(/^parley_\w+\{(.*,)?service="/m);
});

test('the metrics are there at once while the database says nothing', async () => {
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  const port = await findFreePort();
  const env = { DATABASE_URL: proxy.url, HEALTH_PORT: String(port) };
  const copies = await startServiceCopies({ ...notesService, background: () => ({}) }, 1, env);
  onTestFinished(() => copies.close());
  const read = async () =>
    (await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5_000) })).text();
  expect(await read()).toMatch(/^parley_dead_letters\{.*\} 0$/m);
  proxy.goSilent({ newOnesToo: true });
  onTestFinished(() => proxy.loseAll());
  expect(await read()).toContain('parley_processor_problems_total');
});

test.each([
  ['does not let it in', (proxy: CuttingProxy) => proxy.close()],
  ['says nothing', (proxy: CuttingProxy) => proxy.goSilent({ newOnesToo: true })],
])('a service that is not ready says that it is the database which %s', async (_, end) => {
  const proxy = await startCuttingProxy(inject('postgresUrl'));
  onTestFinished(() => proxy.close());
  const port = await findFreePort();
  const env = { DATABASE_URL: proxy.url, HEALTH_PORT: String(port) };
  const copies = await startServiceCopies({ ...notesService, background: () => ({}) }, 1, env);
  onTestFinished(() => copies.close());
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      signal: AbortSignal.timeout(4_000),
    });
    return [response.status, await response.json()];
  };
  expect((await ready())[0]).toBe(200);
  await end(proxy);
  onTestFinished(() => proxy.loseAll());
  await eventually(async () =>
    expect(await ready()).toEqual([
      503,
      { status: 'unavailable', checks: { database: 'unreachable', bus: 'reachable' } },
    ]),
  );
});
