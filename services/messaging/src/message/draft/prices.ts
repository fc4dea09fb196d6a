import type { Micros } from '@parley/contracts';
import { price } from '@parley/service-kit';
import { z } from 'zod';

/** Prices of messages, in micros once parsed; 0 is free and leaves the balance alone. */
export const priceConfig = z.object({
  PRICE_TEMPLATE_MARKETING: price('0.10'),
  PRICE_TEMPLATE_UTILITY: price('0.05'),
  PRICE_TEMPLATE_AUTHENTICATION: price('0.05'),
  /** A text that a person sends within the 24-hour window. */
  PRICE_FREEFORM: price('0'),
  /** An assistant's reply, including the cost of the language model. */
  PRICE_AI_REPLY: price('0.02'),
});
export type Prices = z.output<typeof priceConfig>;

type Category = 'marketing' | 'utility' | 'authentication';

/** The price of a template message, in micros. */
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
