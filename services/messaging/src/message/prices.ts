import type { Micros } from '@parley/contracts';
import { price } from '@parley/service-kit';
import { z } from 'zod';

/** What messages cost, by what they are; 0 costs nothing and leaves the balance alone. */
export const priceConfig = z.object({
  PRICE_TEMPLATE_MARKETING: price('0.10'),
  PRICE_TEMPLATE_UTILITY: price('0.05'),
  PRICE_TEMPLATE_AUTHENTICATION: price('0.05'),
  /** A text of a person inside the 24-hour window. */
  PRICE_FREEFORM: price('0'),
  /** A reply of the assistant, what the language model costs included. */
  PRICE_AI_REPLY: price('0.02'),
});
export type Prices = z.output<typeof priceConfig>;

type Category = 'marketing' | 'utility' | 'authentication';

export function templatePrice(prices: Prices, category: Category): Micros {
  switch (category) {
    case 'marketing':
      return prices.PRICE_TEMPLATE_MARKETING;
    case 'utility':
      return prices.PRICE_TEMPLATE_UTILITY;
    case 'authentication':
      return prices.PRICE_TEMPLATE_AUTHENTICATION;
    default:
      return category satisfies never;
  }
}
