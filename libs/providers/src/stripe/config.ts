import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/** Environment keys of a process that talks to Stripe; the defaults are those of the sandbox on this machine. */
export const stripeConfig = z.object({
  /** `https://api.stripe.com` in production; the sandbox when absent. */
  STRIPE_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  STRIPE_API_KEY: sandboxOnly(secret('sk_test_sandbox')),
  /** Secret with which Stripe signs its callbacks. */
  STRIPE_WEBHOOK_SECRET: sandboxOnly(secret('whsec_sandbox')),
});
