import type { NumberEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { phoneNumber } from '../number.ts';
import { offer } from './offer.fixture.ts';
import { openAnswer } from './purchase-answer.ts';
import { freeNumber, requestPurchase } from './request-purchase.ts';

const commandId = '5f0f7a0e-3f1b-5c0e-9a61-2b7d3c4e5f60';
const request = {
  id: 7,
  purchaseId: '019a9f3c-5f43-7c3b-a2b8-0f4a1f6f6b01',
  accountId: 3,
  correlationId: 'request-1',
  command: { commandId, fingerprint: 'f' },
  offer,
} as const;

test('a request takes the number and itself, and sets the timer of whoever takes over', () => {
  const decision = requestPurchase(null, request);
  expect(decision.claims).toEqual([
    { op: 'take', scope: 'phone-number', key: '+14155550123', owner: 'number-7' },
    { op: 'take', scope: 'number-purchase', key: commandId, owner: 'number-7' },
  ]);
  expect(decision.timers).toEqual([
    {
      id: 'number-work-7',
      kind: 'number-work',
      due: { afterMs: 3_000 },
      payload: { number_id: 7, account_id: 3, correlation_id: 'request-1', attempt: 0 },
    },
  ]);
  const state = given(phoneNumber, ...decision.events);
  expect(state).toMatchObject({ phase: 'buying', commandId, commandFingerprint: 'f' });
  expect(state && freeNumber(state)).toEqual({ ...decision.claims?.[0], op: 'release' });
});

test('a repeated request is told to wait, what came of the first, or that it is another one', () => {
  const state = given(phoneNumber, ...requestPurchase(null, request).events);
  if (!state) throw new Error('There is no number.');
  expect(openAnswer(state, 'f')).toEqual({ code: 'idempotency_in_progress' });
  expect(openAnswer(state, null)).toEqual({ code: 'idempotency_in_progress' });
  expect(openAnswer(state, 'other')).toEqual({ code: 'idempotency_key_reuse' });
  const answers = {
    not_available: 'number_not_available',
    payment_failed: 'payment_failed',
    provider_failed: 'purchase_failed',
  } as const;
  for (const [reason, code] of Object.entries(answers)) {
    const failure = reason as keyof typeof answers;
    expect(openAnswer({ ...state, failure }, 'f')).toEqual({ code });
  }
});

test('whether it takes calls is on record with a number, and nothing else is told of it since', () => {
  const silent = { ...offer, voiceCapable: false };
  expect(given(phoneNumber, ...requestPurchase(null, { ...request, offer: silent }).events)).toMatchObject({
    voiceCapable: false,
  });
  const [before, since] = ['v1', 'v2'].map((version) =>
    given(phoneNumber, ...golden<NumberEvent>(`NumberPurchaseRequested.${version}`)),
  );
  expect(since).toEqual({ ...before, voiceCapable: false });
});

test('events as they were once written still make a number', () => {
  const state = given(
    phoneNumber,
    ...golden<NumberEvent>(
      'NumberPurchaseRequested.v1',
      'NumberPriced.v1',
      'NumberSubscribed.v1',
      'NumberProvisioned.v1',
      'NumberPurchased.v1',
      'NumberRenamed.v1',
      'NumberRenewalFailed.v1',
    ),
  );
  expect(state).toEqual({
    id: 7,
    phase: 'owned',
    purchaseId: request.purchaseId,
    phoneNumber: '+14155550123',
    country: 'US',
    type: 'toll_free',
    smsCapable: true,
    voiceCapable: null,
    nickname: 'Łucja\'s "Hotline" ☎️',
    commandId,
    commandFingerprint: null,
    failure: null,
    price: { amountCents: 225, currency: 'gbp' },
    customerId: 'cus_Rk3x9Qb1',
    subscriptionId: 'sub_1Qz8Ya',
    paymentIntentId: 'pi_3Qz8Yb',
    paidUntil: '2026-12-21T05:20:00.000Z',
    isPaymentConfirmed: false,
    carrierSid: 'PN0123456789abcdef0123456789abcdef',
    isCancelled: false,
    isReturned: false,
    isRechecked: false,
    unpaid: {
      invoiceId: 'in_1R0aBd',
      due: { minor_units: 225, currency: 'gbp' },
      attempt: 2,
      graceEndsAt: '2027-01-28T05:20:00.000Z',
    },
    paidInvoices: [],
  });
});

test('a purchase that no request names claims the number alone', () => {
  const decision = requestPurchase(null, { ...request, command: null });
  expect(decision.claims).toEqual([
    { op: 'take', scope: 'phone-number', key: '+14155550123', owner: 'number-7' },
  ]);
  expect(decision.events).toMatchObject([{ data: { command_id: null, command_fingerprint: null } }]);
});

test('an id is given out once', () => {
  const state = given(phoneNumber, ...requestPurchase(null, request).events);
  expect(() => requestPurchase(state, request)).toThrow('twice');
});
