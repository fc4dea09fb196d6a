import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMicros, parseMicros } from './money.ts';

describe('an amount of money', () => {
  test.each([
    [0, '0.00'],
    [12_500_000, '12.50'],
    [1, '0.000001'],
    [-1, '-0.000001'],
    [100_000, '0.10'],
    [123_400, '0.1234'],
    [-2_000_000, '-2.00'],
    [9_007_199_254_740_991, '9007199254.740991'],
  ])('shows %d micros as %s', (micros, shown) => {
    expect(formatMicros(micros)).toBe(shown);
  });

  test.each(['', '.5', '5.', '1e3', '0x1', '1,5', '1.1234567', '+1', ' 1', '1234567890123', '999999999999'])(
    'refuses %j',
    (amount) => {
      expect(parseMicros(amount)).toBeNull();
    },
  );

  test('reads a minus zero as zero', () => {
    expect(parseMicros('-0.00')).toBe(0);
  });

  test('comes back exactly from what it is shown as', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (micros) => parseMicros(formatMicros(micros)) === micros));
  });

  test('is not shown when it is not an integer', () => {
    expect(() => formatMicros(0.5)).toThrow(RangeError);
  });
});
