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
  }));

test('nothing is shown of an SMS that was given up before it was handed over', () =>
  expect(showSms(given(sms, ...golden<SmsEvent>('SmsDropped.v1')))).toBeNull());
