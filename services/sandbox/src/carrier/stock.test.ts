import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { describeNumber, isForSale, magicNumbers, numberTypes, type Search, searchStock } from './stock.ts';

const search = (changes: Partial<Search>) =>
  searchStock({ country: 'US', type: 'local', contains: '', limit: 20, isSold: () => false, ...changes });

describe('the stock of numbers', () => {
  test.each(['US', 'GB', 'DE', 'FR', 'ES', 'BR', 'IN', 'AU'])(
    'has valid local and mobile numbers of %s',
    (country) => {
      for (const type of ['local', 'mobile'] as const) {
        const numbers = search({ country, type });
        expect(numbers).toHaveLength(20);
        expect(new Set(numbers).size).toBe(20);
        for (const number of numbers) {
          expect(isValidPhoneNumber(number)).toBe(true);
          expect(describeNumber(number)?.country).toBe(country);
          expect(isForSale(number)).toBe(true);
        }
      }
    },
  );

  test.each(numberTypes)('has %s numbers in the United States', (type) => {
    expect(search({ type, limit: 50 })).toHaveLength(50);
  });

  test.each(['AS', 'KN'])(
    'has numbers of %s, which shares its calling code with larger countries',
    (country) => {
      const numbers = search({ country });
      expect(numbers.length).toBeGreaterThan(0);
      for (const number of numbers) expect(describeNumber(number)?.country).toBe(country);
    },
  );

  test('offers the same numbers each time, but not what is sold', () => {
    const [first, second] = search({});
    expect(search({})[0]).toBe(first);
    expect(search({ isSold: (number) => number === first })[0]).toBe(second);
  });

  test.each(['7', '55', '415', '5550', '202555'])('finds numbers that contain %s', (contains) => {
    const numbers = search({ contains, limit: 10 });
    expect(numbers.length).toBeGreaterThan(0);
    for (const number of numbers) expect(number).toContain(contains);
  });

  test('finds a number by all of its digits', () => {
    const [number = ''] = search({});
    expect(search({ contains: number.slice(2) })).toContain(number);
    expect(search({ contains: number.slice(1) })).toContain(number);
  });

  test('does not sell a number taken out of the air, nor in a country that does not exist', () => {
    expect(isForSale('+14155552671')).toBe(false);
    expect(search({ contains: '4155552671' })).toEqual([]);
    expect(search({ country: 'XX' })).toEqual([]);
  });

  test('offers the magic number by its digits', () => {
    expect(search({ contains: magicNumbers.available.slice(2) })).toContain(magicNumbers.available);
  });
});

test('a number is described by its country and kind, and one that is none by nothing', () => {
  expect(describeNumber('+15005550006')).toEqual({ country: 'US', type: 'local' });
  expect(describeNumber('+491701234567')).toEqual({ country: 'DE', type: 'mobile' });
  expect(describeNumber('+18005550123')).toMatchObject({ type: 'toll_free' });
  for (const other of ['+1', '12', '+999123456789', '+49180123456']) expect(describeNumber(other)).toBeNull();
});
