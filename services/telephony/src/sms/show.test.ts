import type { SmsEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { showSms } from './show.ts';
import { sms } from './sms.ts';

test('the history of an SMS has no names but those that customers know', () =>
  expect(showSms(given(sms, ...golden<SmsEvent>('SmsSendStarted.v1', 'SmsSent.v1')))).toEqual({
    id: expect.any(Number),
    lead_id: expect.any(Number),
    campaign_id: expect.any(Number),
    phone_number_id: expect.any(Number),
    own_phone: expect.stringMatching(/^\+/),
    customer_phone: expect.stringMatching(/^\+/),
    body: expect.any(String),
    price: expect.stringMatching(/^\d+\.\d{2}$/),
    status: 'sent',
    carrier_sid: expect.any(String),
    error: null,
    error_code: null,
  }));

test.each([
  [
    'was refused',
    'SmsFailed.v1',
    { status: 'failed', error: expect.stringContaining('Invalid'), error_code: '21211' },
  ],
  ['could not be delivered', 'SmsUndeliverable.v2', { status: 'failed', error: null, error_code: '30036' }],
  [
    'may have been sent',
    'SmsOutcomeUnknown.v1',
    { status: 'unknown', error: 'timeout of 3000ms exceeded', error_code: null },
  ],
])('the history of an SMS that %s says why', (_, last, shown) =>
  expect(showSms(given(sms, ...golden<SmsEvent>('SmsSendStarted.v1', last)))).toMatchObject(shown),
);

test('why an SMS may have failed is not said any more once it has arrived', () =>
  expect(
    showSms(given(sms, ...golden<SmsEvent>('SmsSendStarted.v1', 'SmsOutcomeUnknown.v1', 'SmsDelivered.v1'))),
  ).toMatchObject({ status: 'delivered', error: null, error_code: null }));

test('nothing is shown of an SMS that was given up before it was handed over', () =>
  expect(showSms(given(sms, ...golden<SmsEvent>('SmsDropped.v1')))).toBeNull());
