import { z } from 'zod';
import { intervals } from './period.ts';

/** Forms carry text only. */
const count = z.coerce.number().int().nonnegative();
const yes = z.stringbool({ truthy: ['true'], falsy: ['false'] });

const metadata = z.record(z.string(), z.string()).optional();

const recurring = z.object({ interval: z.enum(intervals), interval_count: count.min(1).default(1) });

export const customerParameters = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  phone: z.string().optional(),
  payment_method: z.string().optional(),
  invoice_settings: z.looseObject({ default_payment_method: z.string().optional() }).optional(),
  metadata,
});

export const productParameters = z.looseObject({
  name: z.string().min(1),
  id: z.string().optional(),
  metadata,
});

export const priceParameters = z.looseObject({
  currency: z.string().length(3),
  unit_amount: count,
  recurring,
  product: z.string().optional(),
  product_data: z.looseObject({ name: z.string().min(1) }).optional(),
  metadata,
});

const priceData = z.looseObject({
  currency: z.string().length(3),
  product: z.string(),
  unit_amount: count,
  recurring,
});
export type PriceData = z.output<typeof priceData>;

export const subscriptionParameters = z.looseObject({
  customer: z.string(),
  items: z
    .array(
      z.looseObject({
        price: z.string().optional(),
        price_data: priceData.optional(),
        quantity: count.min(1).default(1),
      }),
    )
    .min(1),
  default_payment_method: z.string().optional(),
  payment_behavior: z
    .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete', 'pending_if_incomplete'])
    .default('allow_incomplete'),
  metadata,
});

export const subscriptionChanges = z.looseObject({
  cancel_at_period_end: yes.optional(),
  default_payment_method: z.string().optional(),
  metadata,
});

export const paymentParameters = z.looseObject({ payment_method: z.string() });

export const refundParameters = z.looseObject({
  payment_intent: z.string(),
  amount: count.min(1).optional(),
  reason: z.string().optional(),
  metadata,
});
