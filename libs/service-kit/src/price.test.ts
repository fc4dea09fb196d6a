import { expect, test } from 'vitest';
import { price } from './price.ts';

test('a price is a decimal of at most six places, not negative', () => {
  expect(price('0.05').parse(undefined)).toBe(50_000);
  expect(price('0.05').parse('1.000001')).toBe(1_000_001);
  for (const text of ['-1', 'free', '0.0000001', '1e3'])
    expect(price('0').safeParse(text).success).toBe(false);
});
