import { loadConfig } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { telephonyConfig } from './config.ts';

test('a sandbox’s secrets are refused where there is no sandbox, all of them at once', () => {
  const load = (environment: Record<string, string>) => loadConfig(telephonyConfig, environment);
  expect(load({ SANDBOX: 'true' }).SANDBOX_URL).toBe('http://127.0.0.1:3900');
  for (const name of ['TWILIO_AUTH_TOKEN', 'STRIPE_API_KEY', 'STRIPE_WEBHOOK_SECRET', 'GATEWAY_URL'])
    expect(() => load({})).toThrow(new RegExp(`^ {2}${name}: `, 'm'));
  expect(String(load({ SANDBOX: 'true' }).STRIPE_API_KEY)).toBe('[secret]');
});
