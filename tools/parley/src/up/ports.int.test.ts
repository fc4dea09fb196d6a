import { expect, test } from 'vitest';
import { loadSettings } from '../settings.ts';
import { planInstances, urlOf } from './ports.ts';

test.each(['PORT', 'SANDBOX_PORT'] as const)('%s is one that fetch calls', async (variable) => {
  const settings = { ...loadSettings(), PORT: 0, SANDBOX_PORT: 0 };
  await expect(planInstances({ ...settings, [variable]: 4190 })).rejects.toThrow(
    new RegExp(`Port 4190 .* fetch .* Set ${variable} `),
  );
  expect((await planInstances(settings)).length).toBeGreaterThan(2);
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
