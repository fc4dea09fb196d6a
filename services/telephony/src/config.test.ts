import { loadConfig } from '@parley/process-kit';
import { refusingSandboxDefaults, serviceConfig } from '@parley/service-kit';
import { composedKeys } from '@parley/testing';
import { expect, test } from 'vitest';
import { telephonyConfig } from './config.ts';

const schema = refusingSandboxDefaults(telephonyConfig);
const load = (environment: Record<string, string>) => loadConfig(schema, environment);

const own = {
  GATEWAY_URL: 'https://parley.example.com',
  SECRETS_KEYS: `own:${Buffer.alloc(32, 7).toString('base64')}`,
  LIVEKIT_URL: 'https://parley.livekit.cloud',
  LIVEKIT_API_KEY: 'a',
  LIVEKIT_API_SECRET: 'b',
  CARRIER_SIP_ADDRESS: 'example.pstn.twilio.com',
  TWILIO_BASE_URL: 'https://api.twilio.com',
  TWILIO_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef',
  TWILIO_AUTH_TOKEN: 'c',
  TWILIO_TRUNK_SID: 'TK0123456789abcdef0123456789abcdef',
  STRIPE_BASE_URL: 'https://api.stripe.com',
  STRIPE_API_KEY: 'd',
  STRIPE_WEBHOOK_SECRET: 'e',
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

test.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://gateway:3000', 'http://[::1]:3000'])(
  'the carrier cannot reach the gateway at %s',
  (GATEWAY_URL) => expect(() => load({ ...own, GATEWAY_URL })).toThrow('GATEWAY_URL'),
);

test('nothing is missing where all of them are set', () => {
  expect(String(load(own).STRIPE_API_KEY)).toBe('[secret]');
});

test('the carrier’s addresses are a list of addresses and ranges, or none', () => {
  expect(load(own).CARRIER_SIP_ALLOWED_IPS).toBeNull();
  const listed = load({ ...own, CARRIER_SIP_ALLOWED_IPS: '54.172.60.0/23, 203.0.113.7,2001:db8::/32' });
  expect(listed.CARRIER_SIP_ALLOWED_IPS).toEqual(['54.172.60.0/23', '203.0.113.7', '2001:db8::/32']);
  const everybody = load({ ...own, CARRIER_SIP_ALLOWED_IPS: '0.0.0.0/0,::/0' });
  expect(everybody.CARRIER_SIP_ALLOWED_IPS).toEqual(['0.0.0.0/0', '::/0']);
  for (const CARRIER_SIP_ALLOWED_IPS of ['example.pstn.twilio.com', '54.172.60.0/33', '54.172.60.0/23,', '*'])
    expect(() => load({ ...own, CARRIER_SIP_ALLOWED_IPS })).toThrow('CARRIER_SIP_ALLOWED_IPS');
});

test('Docker Compose hands over every key of its own', () => {
  const keys = Object.keys(telephonyConfig.shape).filter((name) => !Object.hasOwn(serviceConfig.shape, name));
  expect(composedKeys('telephony')).toEqual(expect.arrayContaining([...keys, ...Object.keys(own)]));
});
