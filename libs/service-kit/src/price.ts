import { type Micros, parseMicros } from '@parley/contracts';
import { z } from 'zod';

/** A price in the account's billing unit, as a decimal string of at most six decimals; 0 costs nothing. */
export const price = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((amount, context): Micros => {
      const micros = parseMicros(amount);
      if (micros !== null && micros >= 0) return micros;
      context.addIssue({ code: 'custom', message: 'It must be a decimal number, not negative.' });
      return z.NEVER;
    });
