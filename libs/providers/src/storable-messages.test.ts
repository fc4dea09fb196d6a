import { Secret } from '@parley/process-kit';
import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import { createLiveKit } from './livekit.ts';
import { createStripePayments } from './stripe.ts';
import { createTwilioCarrier } from './twilio.ts';
import { createWhatsApp } from './whatsapp.ts';

const said = 'It is \u0000not\ud83d allowed.';
const sms = { from: '+14155552671', to: '+491701234567', body: 'Hello', statusUrl: 'https://a.test' };
const order = { customerId: 'cus_1', amountCents: 1, currency: 'usd', description: 'A number', metadata: {} };

test.each([
  [
    'WhatsApp',
    { error: { message: said, code: 131026 } },
    (baseUrl: string) =>
      createWhatsApp({
        ...{ baseUrl, apiVersion: 'v25.0', businessId: '1000', accessToken: new Secret('token') },
      }).subscribe({ phoneNumberId: '1', accountId: '2' }),
  ],
  [
    'Twilio',
    { status: 400, code: 21610, message: said },
    (baseUrl: string) =>
      createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' }).sendSms({
        ...sms,
        validForSeconds: null,
      }),
  ],
  [
    'Stripe',
    { error: { type: 'invalid_request_error', message: said } },
    (baseUrl: string) => createStripePayments({ baseUrl, apiKey: 'key' }).refund('pi_1', 'key'),
  ],
  [
    'Stripe, of a card,',
    { error: { type: 'card_error', message: said } },
    (baseUrl: string) => createStripePayments({ baseUrl, apiKey: 'key' }).subscribe(order, 'key'),
  ],
  [
    'LiveKit',
    { code: 'invalid_argument', msg: said },
    (baseUrl: string) =>
      createLiveKit({ baseUrl, apiKey: 'key', apiSecret: new Secret('s'.repeat(32)), agentName: 'a' }).hangUp(
        'parley-call-1',
      ),
  ],
])('what %s refuses can be put on record, whatever it says', async (_, body, ask) => {
  const baseUrl = await startLocalServer((__, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  expect(await ask(baseUrl)).toMatchObject({ message: 'It is not\ufffd allowed.' });
});
