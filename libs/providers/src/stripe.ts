export { isSignedByStripe, readStripeCallback } from './stripe/callback.ts';
export type { StripeOptions } from './stripe/client.ts';
export { type StripeConfig, stripeConfig, unsetStripeKeys } from './stripe/config.ts';
export { createStripePayments } from './stripe/stripe.ts';
