import { loadConfig } from '@parley/process-kit';
import { refusingSandboxDefaults, serviceConfig } from '@parley/service-kit';
import { composedKeys } from '@parley/testing';
import { expect, test } from 'vitest';
import { messagingConfig } from './config.ts';

const schema = refusingSandboxDefaults(messagingConfig);
const load = (environment: Record<string, string>) => loadConfig(schema, environment);

const own = {
  SECRETS_KEYS: `own:${Buffer.alloc(32, 7).toString('base64')}`,
  WHATSAPP_BASE_URL: 'https://graph.facebook.com',
  WHATSAPP_ACCESS_TOKEN: 'a',
  WHATSAPP_APP_SECRET: 'b',
  WHATSAPP_VERIFY_TOKEN: 'c',
  WHATSAPP_BUSINESS_ID: '506914307656634',
  LLM_BASE_URL: 'https://api.openai.com/v1',
  LLM_API_KEY: 'd',
};

test('the sandbox’s addresses and secrets are refused where there is no sandbox, all of them at once', () => {
  expect(load({ SANDBOX: 'true' }).SANDBOX_URL).toBe('http://127.0.0.1:3900');
  const faults = Object.keys(own).map((name) => `\n  ${name}: Must be set where there is no sandbox.`);
  expect(() => load({})).toThrow(`The configuration is not valid:${faults.join('')}`);
  for (const name of Object.keys(own))
    expect(() => load({ ...own, [name]: '' })).toThrow(
      `:\n  ${name}: Must be set where there is no sandbox.`,
    );
});

test('nothing is missing where all of them are set', () => {
  expect(String(load(own).WHATSAPP_APP_SECRET)).toBe('[secret]');
});

test('a language model may take as long as those that reason do, but not until a reply would be begun again', () => {
  const timeoutOf = (ms: string) => load({ ...own, LLM_TIMEOUT_MS: ms }).LLM_TIMEOUT_MS;
  expect([timeoutOf(''), timeoutOf('25000')]).toEqual([8_000, 25_000]);
  expect(() => timeoutOf('30000')).toThrow('LLM_TIMEOUT_MS');
});

test('whom a customer may be called by, and how often they are asked, is by default what the specification says', () => {
  expect(load(own)).toMatchObject({
    CALL_PERMISSION_ASKS_PER_DAY: 1,
    CALL_PERMISSION_ASKS_PER_WEEK: 2,
    CALL_PERMISSION_SESSION_HOURS: 24,
    CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS: ['US', 'CA', 'EG', 'VN', 'NG', 'TR'],
  });
});

test('countries are named by codes that there are: of others nobody would notice that they have no effect', () => {
  const countriesOf = (codes: string) =>
    load({ ...own, CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS: codes }).CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS;
  expect(countriesOf('us, GB,')).toEqual(['US', 'GB']);
  for (const codes of ['UK', 'US,Nigeria', 'US;NG', '1'])
    expect(() => countriesOf(codes)).toThrow('CALL_PERMISSION_COUNTRIES_WITHOUT_CALLS');
});

test('Docker Compose hands over every key of its own', () => {
  const keys = Object.keys(messagingConfig.shape).filter((name) => !Object.hasOwn(serviceConfig.shape, name));
  expect(composedKeys('messaging')).toEqual(expect.arrayContaining([...keys, ...Object.keys(own)]));
});
