import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenFault } from '@parley/embedded-servers';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { planInstances, portFault, urlOf } from './ports.ts';

test.each(['PORT', 'SANDBOX_PORT'] as const)('%s is one that fetch calls', async (variable) => {
  const settings = { ...loadSettings(), PORT: 0, SANDBOX_PORT: 0 };
  await expect(planInstances({ ...settings, [variable]: 4190 })).rejects.toThrow(
    new RegExp(`Port 4190 .* fetch .* Set ${variable} `),
  );
  expect((await planInstances(settings)).length).toBeGreaterThan(2);
});

test('why a port cannot be listened on is told as it is, also when it was taken after it had been planned', async () => {
  const settings = { ...loadSettings(), PORT: 0, SANDBOX_PORT: 0 };
  const [planned] = (await planInstances(settings)).filter(({ service }) => service.listensOn === 'PORT');
  if (!planned?.port) throw new Error('The gateway has a port.');
  const configured = { ...settings, PORT: planned.port };
  expect(await portFault(planned, configured)).toBeNull();
  const other = createServer().listen(planned.port, settings.HOST);
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  expect(await portFault(planned, configured)).toMatch(/^Port \d+ \(gateway\) is in use .* Set PORT /);
  expect(await portFault(planned, settings)).toBeNull();
  await expect(planInstances({ ...configured, HOST: '192.0.2.1' })).rejects.toThrow(
    /^HOST=192\.0\.2\.1 is no address/,
  );
});

/** The first of so many, below those that connections get. */
async function findFreePorts(host: string, count: number): Promise<number> {
  for (let first = 20_000 + (process.pid % 1_000) * 10; ; first += count) {
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const faults = await Promise.all(ports.map((port) => listenFault(port, host)));
    if (faults.every((fault) => fault === null)) return first;
  }
}

test('services that are reached over NATS tell of their health at ports that follow each other', async () => {
  const settings = { ...loadSettings(), PORT: 0, SANDBOX_PORT: 0, PARLEY_COPIES: new Map([['accounts', 2]]) };
  const healthOf = async (HEALTH_PORT: number | undefined) =>
    (await planInstances({ ...settings, HEALTH_PORT })).map(({ name, healthPort }) => [name, healthPort]);
  for (const [, port] of await healthOf(undefined)) expect(port).toBeNull();
  const first = await findFreePorts(settings.HOST, 8);
  const other = createServer().listen(first, settings.HOST);
  await once(other, 'listening');
  await expect(healthOf(first)).rejects.toThrow(/health of accounts.* Set another HEALTH_PORT/);
  other.close();
  await once(other, 'close');
  for (const variable of ['PORT', 'SANDBOX_PORT'])
    await expect(planInstances({ ...settings, HEALTH_PORT: first, [variable]: first + 2 })).rejects.toThrow(
      /health of assistants.* Set another HEALTH_PORT/,
    );
  await expect(healthOf(65_534)).rejects.toThrow(
    /There is no port 65536 \(health of assistants\)\. Set a lower HEALTH_PORT/,
  );
  expect(Object.fromEntries(await healthOf(first))).toMatchObject({
    gateway: null,
    accounts: first,
    'accounts-2': first + 1,
    assistants: first + 2,
  });
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['localhost', 'http://localhost:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['::', 'http://[::1]:3000'],
])('what listens on %s is reached at %s', (host, url) => {
  expect(urlOf(host, 3000)).toBe(url);
  expect(URL.canParse(urlOf(host, 3000))).toBe(true);
});
