import { loadConfig, sandboxOnly, secret } from '@parley/process-kit';
import { composedKeys, composedServices } from '@parley/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { refusingSandboxDefaults, serviceConfig } from './config.ts';

const schema = refusingSandboxDefaults(
  serviceConfig.extend({
    PROVIDER_URL: sandboxOnly(z.url().optional()),
    PROVIDER_TOKEN: sandboxOnly(secret('sandbox-token')),
    PROVIDER_TIMEOUT_MS: z.coerce.number().default(3_000),
  }),
);
const own = {
  SECRETS_KEYS: `own:${Buffer.alloc(32, 7).toString('base64')}`,
  PROVIDER_URL: 'https://provider.example.com',
  PROVIDER_TOKEN: 'token',
};

test('what everybody knows, and what leads to the sandbox, must be set where there is none', () => {
  const faults = Object.keys(own).map((name) => `\n  ${name}: Must be set where there is no sandbox.`);
  expect(() => loadConfig(schema, {})).toThrow(`The configuration is not valid:${faults.join('')}`);
  expect(() => loadConfig(schema, { ...own, PROVIDER_TOKEN: 'sandbox-token' })).toThrow('PROVIDER_TOKEN');
  expect(loadConfig(schema, own).PROVIDER_TIMEOUT_MS).toBe(3_000);
  expect(loadConfig(schema, { SANDBOX: 'true' }).PROVIDER_URL).toBeUndefined();
});

test('under Docker Compose the metrics can be read from other containers', () => {
  for (const service of ['accounts', 'assistants', 'messaging', 'telephony', 'automations'])
    expect(composedKeys(service)).toEqual(expect.arrayContaining(['HEALTH_PORT', 'HEALTH_HOST']));
});

test('under Docker Compose no log grows without an end', () => {
  for (const [service, { logging }] of Object.entries(composedServices()))
    expect(logging?.options, service).toEqual({ 'max-size': '20m', 'max-file': '5' });
});
