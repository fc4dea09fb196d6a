import { expect, test } from 'vitest';
import { priceConfig, templatePrice } from './prices.ts';

test('a template costs what its category costs', () => {
  const prices = priceConfig.parse({ PRICE_TEMPLATE_MARKETING: '0.3', PRICE_TEMPLATE_AUTHENTICATION: '0' });
  expect(templatePrice(prices, 'marketing')).toBe(300_000);
  expect(templatePrice(prices, 'utility')).toBe(50_000);
  expect(templatePrice(prices, 'authentication')).toBe(0);
});
