import { expect, test } from 'vitest';
import { createStripeClient } from './client.ts';

test.each([
  ['https://api.stripe.com', 'api.stripe.com', 443],
  ['http://127.0.0.1:3900', '127.0.0.1', 3900],
  ['http://[::1]:3900', '::1', 3900],
])('requests to %s go to %s, port %i', (baseUrl, host, port) => {
  const client = createStripeClient({ baseUrl, apiKey: 'sk_test' });
  expect([client.getApiField('host'), client.getApiField('port')]).toEqual([host, port]);
});
