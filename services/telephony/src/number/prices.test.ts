import { expect, test } from 'vitest';
import { numberPriceConfig, priceOf, shownPrice } from './prices.ts';

const local = (country: string) => ({ country, type: 'local' }) as const;
const tollFree = (country: string) => ({ country, type: 'toll_free' }) as const;

test('without a setting a number costs what its country costs, and the dearest of all elsewhere', () => {
  const prices = numberPriceConfig.parse({});
  const shown = [local('GB'), local('US'), tollFree('US'), tollFree('AQ')].map((number) => {
    const price = priceOf(prices, number);
    return price && shownPrice(price).price;
  });
  expect(shown).toEqual(['2.25', '2.00', '4.00', '15.00']);
});

test('what is closest to the number says its price; what has none is not sold', () => {
  const prices = numberPriceConfig.parse({
    PRICE_NUMBERS: 'DE=2.5, DE toll_free=30.00,* toll_free=12, AT=3.00',
    NUMBERS_CURRENCY: 'EUR',
  });
  const cents = (number: Parameters<typeof priceOf>[1]) => priceOf(prices, number)?.amountCents;
  expect(priceOf(prices, local('DE'))).toEqual({ amountCents: 250, currency: 'eur' });
  expect(cents(tollFree('DE'))).toBe(3_000);
  expect(cents(tollFree('FR'))).toBe(1_200);
  expect(cents(tollFree('AT'))).toBe(300);
  expect(priceOf(prices, local('FR'))).toBeNull();
});

test.each([
  'US',
  'us=2.00',
  'US=2.005',
  'US=-2.00',
  'US=0.00',
  'US=2.00,US=3.00',
  'US fax=2.00',
  'US=2.00,',
  'UK=2.00',
])('%s is refused, and what is wrong with it told', (PRICE_NUMBERS) => {
  const { error } = numberPriceConfig.safeParse({ PRICE_NUMBERS });
  expect(error?.issues).toMatchObject([
    { path: ['PRICE_NUMBERS'], message: expect.stringContaining('is not one price such as') },
  ]);
});

test.each(['jpy', 'kwd', 'euro', ''])('amounts in %s are not counted in hundredths', (NUMBERS_CURRENCY) => {
  expect(numberPriceConfig.safeParse({ NUMBERS_CURRENCY }).success).toBe(false);
});
