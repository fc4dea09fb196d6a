import { Secret } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { createLiveKit } from './livekit.ts';
import type { ProviderResult } from './provider-result.ts';
import { createStripePayments } from './stripe.ts';
import { createTwilioCarrier } from './twilio.ts';
import { createWhatsApp } from './whatsapp.ts';

/** Where nobody listens; `fetch` would not even try port 1. */
const baseUrl = 'http://127.0.0.1:2';
const whatsApp = createWhatsApp({
  ...{ baseUrl, apiVersion: 'v23.0', businessId: '1000' },
  accessToken: new Secret('token'),
});
const offers = { accountId: 3, country: 'US', type: 'local', contains: '', limit: 1 } as const;

test.each<[string, () => Promise<ProviderResult<unknown>>]>([
  ['WhatsApp', () => whatsApp.findNumber(['+4930901820'])],
  ['Twilio', () => createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' }).search(offers)],
  ['Stripe', () => createStripePayments({ baseUrl, apiKey: 'key' }).findSubscription('cus_1', 'number-1')],
  [
    'LiveKit',
    () =>
      createLiveKit({ baseUrl, apiKey: 'key', apiSecret: new Secret('secret'), agentName: 'agent' }).hangUp(
        'parley-call-1',
      ),
  ],
])('that there was no answer names %s, and says what the machine does', async (provider, ask) => {
  const reason = `${provider} gave no usable answer: connect ECONNREFUSED 127.0.0.1:2`;
  expect(await ask()).toEqual({ kind: 'unavailable', message: reason });
});
