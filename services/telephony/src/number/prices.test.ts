import { expect, test } from 'vitest';
import { priceOf, shownPrice } from './prices.ts';

test('a number costs what its country costs, and the dearest of all where nothing is set', () => {
  expect(shownPrice(priceOf('GB'))).toEqual({ price: '2.25', currency: 'USD' });
  expect(shownPrice(priceOf('AQ'))).toEqual({ price: '15.00', currency: 'USD' });
});
