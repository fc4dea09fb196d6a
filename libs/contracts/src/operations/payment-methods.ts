import { z } from 'zod';
import { asOf, textUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const payment = {
  service: 'telephony',
  tag: 'Payment method',
  path: '/api/user/payment-method',
  errorShape: 'message',
} as const;

const token = textUpTo(255)
  .refine((value) => /^\w+$/.test(value), {
    error: 'The :attribute field must be a token of the payment provider.',
  })
  .describe('What the payment provider calls the card, for example `pm_card_visa`.');
const card = z
  .object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int() })
  .meta({ id: 'Card' });

export const setPaymentMethod = defineOperation({
  ...payment,
  name: 'set-payment-method',
  kind: 'command',
  method: 'PUT',
  summary: 'Put a payment method on file, in the place of the one before',
  description:
    '`token` is what the payment provider’s form gives a browser; a card’s own data never comes here.',
  body: z.object({ token }),
  example: { token: 'pm_card_visa' },
  success: { status: 200, schema: z.object({ message: z.string(), data: card }) },
});

export const getPaymentMethod = defineOperation({
  ...payment,
  name: 'get-payment-method',
  kind: 'query',
  method: 'GET',
  summary: 'The payment method on file, if there is one',
  description:
    '`data` is null when there is none. With `as_of` (a timestamp or a position) as it was at that moment.',
  query: z.object({ as_of: asOf() }),
  isVersioned: true,
  success: { status: 200, schema: z.object({ data: card.nullable() }) },
});

export const removePaymentMethod = defineOperation({
  ...payment,
  name: 'remove-payment-method',
  kind: 'command',
  method: 'DELETE',
  summary: 'Take the payment method off file',
  description: 'Renewals of phone numbers fail from then on, until there is another one.',
  notFoundMessage: 'There is no payment method on file.',
  success: { status: 200, schema: z.object({ message: z.string() }) },
});
