import type { PaymentMethodEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { paymentMethod, paymentMethodStream, toCard } from './payment-method.ts';

const customer = golden<PaymentMethodEvent>('PaymentCustomerCreated.v1');
const set = golden<PaymentMethodEvent>('PaymentMethodSet.v1');

test('an account becomes a customer, gets a card and loses it, and stays the customer it is', () => {
  expect(given(paymentMethod)).toEqual({ customerId: null, card: null, formerMethodIds: [] });
  expect(given(paymentMethod, ...customer)).toEqual({
    customerId: 'cus_Rk3x9Qb1',
    card: null,
    formerMethodIds: [],
  });
  expect(given(paymentMethod, ...customer, ...set)).toEqual({
    customerId: 'cus_Rk3x9Qb1',
    card: { methodId: 'pm_1Qz8Yc', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030 },
    formerMethodIds: [],
  });
  const removed = golden<PaymentMethodEvent>('PaymentMethodRemoved.v1');
  expect(given(paymentMethod, ...customer, ...set, ...removed)).toEqual({
    customerId: 'cus_Rk3x9Qb1',
    card: null,
    formerMethodIds: ['pm_1Qz8Yc'],
  });
  expect(paymentMethodStream(3)).toBe('payment-method-3');
});

test('a card is shown without what the payment provider calls it', () => {
  const { card } = given(paymentMethod, ...set);
  expect(card && toCard(card)).toEqual({ brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030 });
});
