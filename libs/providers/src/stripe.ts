export { isSignedByStripe, readStripeCallback } from './stripe/callback.ts';
export { stripeConfig } from './stripe/config.ts';
export { createStripePayments } from './stripe/stripe.ts';
