import { byNumberKind, closestTo, type NumberKind } from '@parley/providers';
import { z } from 'zod';

/** Examples, which cover what a number costs at Twilio. */
const examples =
  'AT=3.00,AU=3.50,BE=2.50,BR=5.00,CA=2.00,CA toll_free=4.00,CH=2.50,CZ=2.50,DE=2.50,DK=3.50,ES=2.50,FI=4.00,' +
  'FR=2.50,GB=2.25,HK=9.00,IE=2.50,IL=6.00,IT=3.00,JP=7.00,MX=6.00,NL=4.00,NO=3.50,NZ=4.00,PL=2.50,PT=2.50,' +
  'SE=2.75,SG=9.00,US=2.00,US toll_free=4.00,ZA=4.00,*=15.00';

/** Hundredths of what is written as `2.50`. */
const readCents = (amount: string): number | undefined =>
  (/^\d{1,6}(?:\.\d{1,2})?$/.test(amount) && Math.round(Number(amount) * 100)) || undefined;

/** Amounts are counted in hundredths: those of yen or dinars would be others. */
const hasCents = (currency: string) =>
  Intl.supportedValuesOf('currency').includes(currency.toUpperCase()) &&
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits === 2;

/** Environment keys of what numbers cost every month. */
export const numberPriceConfig = z.object({
  /**
   * What is sold and for how much: by a number's country (ISO 3166-1 alpha-2, or `*` for every other), or by country
   * and type (`US toll_free=4.00`), separated by commas. What has no price is not sold. A number that was bought keeps
   * its price.
   */
  PRICE_NUMBERS: byNumberKind(readCents, 'one price such as US=2.00, US toll_free=4.00 or *=15.00').prefault(
    examples,
  ),
  /** ISO 4217, of a currency with cents. At Stripe all subscriptions of a customer have the same one. */
  NUMBERS_CURRENCY: z
    .string()
    .toLowerCase()
    .refine(hasCents, { error: 'Must be a currency with cents, such as usd or eur.' })
    .default('usd'),
});
export type NumberPrices = z.output<typeof numberPriceConfig>;

/** What a number costs every month. */
export interface MonthlyPrice {
  readonly amountCents: number;
  /** ISO 4217, lower case as the payment provider has it. */
  readonly currency: string;
}

/** Monthly price of a number of this type in this country (ISO 3166-1 alpha-2); `null` where none is sold. */
export function priceOf(
  { PRICE_NUMBERS: cents, NUMBERS_CURRENCY: currency }: NumberPrices,
  number: NumberKind,
): MonthlyPrice | null {
  const amountCents = closestTo(cents, number);
  return amountCents === undefined ? null : { amountCents, currency };
}

/** A price as the API shows it: `2.50` and `USD`. */
export const shownPrice = ({ amountCents, currency }: MonthlyPrice) => ({
  price: (amountCents / 100).toFixed(2),
  currency: currency.toUpperCase(),
});
