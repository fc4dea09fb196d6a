import { loadConfig } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { messagingConfig } from './config.ts';

test('a sandbox’s secrets are refused where there is no sandbox, all of them at once', () => {
  const load = (environment: Record<string, string>) => loadConfig(messagingConfig, environment);
  expect(load({ SANDBOX: 'true' }).SANDBOX_URL).toBe('http://127.0.0.1:3900');
  expect(() => load({ WHATSAPP_APP_SECRET: 'ours' })).toThrow(
    /^The configuration is not valid:\n {2}WHATSAPP_ACCESS_TOKEN: .*\n {2}WHATSAPP_VERIFY_TOKEN: .*$/,
  );
  const own = { WHATSAPP_ACCESS_TOKEN: 'a', WHATSAPP_APP_SECRET: 'b', WHATSAPP_VERIFY_TOKEN: 'c' };
  expect(String(load(own).WHATSAPP_APP_SECRET)).toBe('[secret]');
});
