import { z } from 'zod';

/** What we write on a subscription at the payment provider, whose callbacks carry it: strings, as everything there. */
export const subscriptionMetadata = z.object({
  number_id: z.coerce.number().int().positive(),
  account_id: z.coerce.number().int().positive(),
  purchase_id: z.string(),
  request_id: z.string().optional(),
});

export type SubscriptionMetadata = z.output<typeof subscriptionMetadata>;
