import { givenAndUnknown, golden, passedOver } from '@parley/testing';
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

test('every event that was ever written means something to the fold of its stream, or is named here', () => {
  const folds = { call, number: phoneNumber, 'payment-method': paymentMethod, 'sip-trunk': sipTrunk, sms };
  // What is told beside the end of a call.
  expect(passedOver('telephony', folds)).toEqual([
    'CallNotPlaced.v1',
    'CallNotPlaced.v2',
    'CallDeadlinePassed.v1',
  ]);
});
