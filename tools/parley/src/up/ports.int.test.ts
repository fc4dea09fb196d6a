import { once } from 'node:events';
import { createServer } from 'node:http';
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
