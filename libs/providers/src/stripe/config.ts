import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandbox = { STRIPE_API_KEY: 'sk_test_sandbox', STRIPE_WEBHOOK_SECRET: 'whsec_sandbox' } as const;
const secretNames = ['STRIPE_API_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

/** Keys of a process that talks to Stripe; the defaults are those of the sandbox on this machine. */
export const stripeConfig = z.object({
  /** `https://api.stripe.com` in production; the sandbox when absent. */
  STRIPE_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  STRIPE_API_KEY: secret(sandbox.STRIPE_API_KEY),
  /** Signs Stripe's callbacks. */
  STRIPE_WEBHOOK_SECRET: secret(sandbox.STRIPE_WEBHOOK_SECRET),
});

export type StripeConfig = z.output<typeof stripeConfig>;

/** The keys without which only a sandbox can be talked to, or whose values everybody knows, because they were not set. */
export const unsetStripeKeys = (config: StripeConfig): readonly (keyof StripeConfig)[] => [
  ...(config.STRIPE_BASE_URL === undefined ? (['STRIPE_BASE_URL'] as const) : []),
  ...secretNames.filter((name) => config[name].reveal() === sandbox[name]),
];
