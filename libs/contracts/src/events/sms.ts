import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const sms = { service: 'telephony', category: 'sms', version: 1 } as const;

export const SmsSendStarted = defineEvent({
  ...sms,
  type: 'SmsSendStarted',
  summary: 'An SMS is about to be handed to the carrier; from here on it is never handed over again.',
  personal: { subject: 'customer_phone', fields: ['customer_phone', 'body'] },
  data: z.object({
    sms_id: z.int(),
    lead_id: z.int(),
    campaign_id: z.int(),
    phone_number_id: z.int().describe("The account's number that it is sent from."),
    own_phone: z.string(),
    customer_phone: z.string().describe('E.164'),
    body: z.string(),
    price_micros: z.int().nonnegative(),
    hold_id: z.string().nullable().describe('The reservation that pays for it; null for what costs nothing.'),
    command_id: z.string().nullable().describe('The request that is answered when the outcome is known.'),
  }),
});

export const SmsDropped = defineEvent({
  ...sms,
  type: 'SmsDropped',
  summary: 'An SMS was given up before anything was handed to the carrier.',
  data: z.object({ sms_id: z.int() }),
});

export const SmsSent = defineEvent({
  ...sms,
  type: 'SmsSent',
  summary: 'The carrier took the SMS.',
  data: z.object({ sms_id: z.int(), carrier_sid: z.string() }),
});

export const SmsFailed = defineEvent({
  ...sms,
  type: 'SmsFailed',
  summary: 'The carrier refused the SMS: it was certainly not sent.',
  personal: { mentions: ['reason'] },
  data: z.object({ sms_id: z.int(), code: z.string().nullable(), reason: z.string() }),
});

export const SmsOutcomeUnknown = defineEvent({
  ...sms,
  type: 'SmsOutcomeUnknown',
  summary: 'The carrier may have taken the SMS; its callbacks will tell, and it is not sent again.',
  personal: { mentions: ['reason'] },
  data: z.object({ sms_id: z.int(), reason: z.string() }),
});

export const SmsDelivered = defineEvent({
  ...sms,
  type: 'SmsDelivered',
  summary: 'The SMS reached the phone.',
  data: z.object({ sms_id: z.int() }),
});

const undeliverable = {
  sms_id: z.int(),
  code: z.string().nullable().describe("The carrier's own."),
};

export const SmsUndeliverable = defineEvent({
  ...sms,
  type: 'SmsUndeliverable',
  version: 2,
  summary: 'The carrier took the SMS and could not deliver it.',
  data: z.object({
    ...undeliverable,
    lead_id: z.int().nullable().describe('Whom it was for; null where nobody noted it.'),
    command_id: z
      .string()
      .nullable()
      .describe('The request that it was sent for; null where nobody noted it.'),
  }),
  earlier: [
    earlierVersion(z.object(undeliverable), (data) => ({ ...data, lead_id: null, command_id: null })),
  ],
});

export type SmsEvent = EventOf<
  | typeof SmsSendStarted
  | typeof SmsDropped
  | typeof SmsSent
  | typeof SmsFailed
  | typeof SmsOutcomeUnknown
  | typeof SmsDelivered
  | typeof SmsUndeliverable
>;
export type SmsUndeliverableEvent = EventOf<typeof SmsUndeliverable>;
