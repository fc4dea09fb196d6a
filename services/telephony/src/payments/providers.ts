import type { Carrier, Payments } from '@parley/providers';
import { createStripePayments } from '@parley/providers/stripe';
import { createTwilioCarrier } from '@parley/providers/twilio';
import type { TelephonyConfig } from '../config.ts';

/** Injection tokens of the `Carrier` and the `Payments`. */
export const CARRIER = Symbol('Carrier');
export const PAYMENTS = Symbol('Payments');

export const createCarrier = (config: TelephonyConfig): Carrier =>
  createTwilioCarrier({
    baseUrl: config.TWILIO_BASE_URL ?? config.SANDBOX_URL,
    accountSid: config.TWILIO_ACCOUNT_SID,
    authToken: config.TWILIO_AUTH_TOKEN.reveal(),
    trunkSid: config.TWILIO_TRUNK_SID,
    owners: config.TWILIO_NUMBER_OWNERS,
    timeoutMs: config.PROVIDER_TIMEOUT_MS,
  });

export const createPayments = (config: TelephonyConfig): Payments =>
  createStripePayments({
    baseUrl: config.STRIPE_BASE_URL ?? config.SANDBOX_URL,
    apiKey: config.STRIPE_API_KEY.reveal(),
    timeoutMs: config.PROVIDER_TIMEOUT_MS,
  });
