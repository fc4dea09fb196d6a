import { loadConfig } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { gatewayConfig } from './config.ts';

const load = (environment: Record<string, string>) => loadConfig(gatewayConfig, environment);

test('proxies are addresses and networks', () => {
  const proxies = ['10.0.0.7', '::1', '10.0.0.0/8', '2001:db8::/32', '10.0.0.0/255.0.0.0', 'loopback'];
  expect(load({ TRUST_PROXY: proxies.join(', ') }).TRUST_PROXY).toEqual(proxies);
  for (const wrong of ['caddy', '10.0.0', '10.0.0.0/33', '10.0.0.0/0', '2001:db8::/129', '10.0.0.0/8/9'])
    expect(() => load({ TRUST_PROXY: `10.0.0.7,${wrong}` })).toThrow(/TRUST_PROXY: Must be IP addresses/);
});

test('origins are what browsers send', () => {
  const origins = [
    'https://app.example',
    'http://localhost:5173',
    'http://[::1]:80',
    'chrome-extension://abc',
  ];
  expect(load({ CORS_ORIGINS: origins.join(',') }).CORS_ORIGINS).toEqual(origins);
  expect(load({ CORS_ORIGINS: '*' }).CORS_ORIGINS).toEqual(['*']);
  for (const wrong of [
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://me@app.example',
  ])
    expect(() => load({ CORS_ORIGINS: wrong })).toThrow(/CORS_ORIGINS: Must be origins/);
});
