import { givenAndUnknown, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { call } from './call/call.ts';
import { pastCall } from './call/past-call.ts';
import { phoneNumber } from './number/number.ts';
import { paymentMethod } from './payment-method/payment-method.ts';
import { sipTrunk } from './sip-trunk/sip-trunk.ts';
import { sms } from './sms/sms.ts';

test.each([
  ['a call', () => givenAndUnknown(call, ...golden<never>('CallRequested.v1'))],
  ['a call of the past', () => givenAndUnknown(pastCall, ...golden<never>('CallRequested.v1'))],
  ['a number', () => givenAndUnknown(phoneNumber, ...golden<never>('NumberPurchaseRequested.v1'))],
  ['a payment method', () => givenAndUnknown(paymentMethod, ...golden<never>('PaymentMethodSet.v1'))],
  ['a SIP trunk', () => givenAndUnknown(sipTrunk, ...golden<never>('SipTrunkCreated.v1'))],
  ['an SMS', () => givenAndUnknown(sms, ...golden<never>('SmsSendStarted.v1'))],
])('%s stays as it is when a later release writes what this one does not know', (_, folded) => {
  const { state, after } = folded();
  expect(state).not.toBeNull();
  expect(after).toEqual(state);
});
