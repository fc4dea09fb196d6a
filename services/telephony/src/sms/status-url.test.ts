import { expect, test } from 'vitest';
import { calledUrl, referenceOf, statusUrl } from './status-url.ts';

const config = { GATEWAY_URL: 'https://parley.example/', PRICE_SMS: 0 };

test('the carrier is asked to tell again what it is answered 503, and calls and signs the address without that', () => {
  const asked = new URL(statusUrl(config, 'sms-7'));
  expect(Object.fromEntries(new URLSearchParams(asked.hash.slice(1)))).toEqual({ rc: '5', rp: '5xx,ct,rt' });
  const called = calledUrl(config, asked.pathname + asked.search);
  expect(called).toBe('https://parley.example/hooks/sms/twilio?reference=sms-7');
  expect(referenceOf(called)).toBe('sms-7');
});
