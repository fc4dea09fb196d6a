import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const number = { service: 'telephony', category: 'number', version: 1 } as const;
const paymentMethod = { service: 'telephony', category: 'payment-method', version: 1 } as const;

const instant = z.iso.datetime({ offset: true });
const currency = z.string().length(3);
/** In the currency's smallest unit, as payment providers count: not every currency has cents. */
const money = z.object({ minor_units: z.int().nonnegative(), currency });
const centsAndCurrency = { amount_cents: z.int().nonnegative(), currency };

/** Version 1 held two fields beside the others, and version 2 one amount of money under a name that says what for. */
const withLooseAmount = <Rest extends z.ZodRawShape>(rest: Rest, name: string) =>
  earlierVersion(z.object({ ...centsAndCurrency, ...rest }), (data) => {
    const {
      amount_cents: minor_units,
      currency: code,
      ...others
    } = data as z.output<z.ZodObject<typeof centsAndCurrency>>;
    return { ...others, [name]: { minor_units, currency: code } };
  });

const wanted = {
  number_id: z.int(),
  purchase_id: z.uuid().describe("What the providers' idempotency keys are made of."),
  phone_number: z.string(),
  country_code: z.string(),
  type: z.enum(['local', 'mobile', 'toll_free']),
  sms_capable: z.boolean(),
  command_id: z.uuid().nullable().describe('The request, which is answered once for ever.'),
  command_fingerprint: z.string().nullable(),
};

export const NumberPurchaseRequested = defineEvent({
  ...number,
  type: 'NumberPurchaseRequested',
  version: 2,
  summary: 'Somebody asked to buy a phone number; nobody else can buy it meanwhile.',
  data: z.object({
    ...wanted,
    voice_capable: z.boolean().nullable().describe('False: it is for SMS alone. Null where nobody noted it.'),
  }),
  earlier: [earlierVersion(z.object(wanted), (data) => ({ ...data, voice_capable: null }))],
});

const payer = { /** The payment provider's id of the account. */ customer_id: z.string() };

export const NumberPriced = defineEvent({
  ...number,
  type: 'NumberPriced',
  version: 2,
  summary: 'The monthly price of a phone number was fixed, and who pays it.',
  data: z.object({ ...payer, monthly_price: money }),
  earlier: [withLooseAmount(payer, 'monthly_price')],
});

export const NumberSubscribed = defineEvent({
  ...number,
  type: 'NumberSubscribed',
  summary: 'The monthly subscription of a phone number began, its first month is paid.',
  data: z.object({
    subscription_id: z.string(),
    payment_intent_id: z
      .string()
      .nullable()
      .describe('What a refund of the first month is made of; null when nothing was paid.'),
    paid_until: instant,
  }),
});

const invoice = { invoice_id: z.string() };

export const NumberPaymentConfirmed = defineEvent({
  ...number,
  type: 'NumberPaymentConfirmed',
  version: 2,
  summary: 'The payment provider confirmed the payment of the first month of a phone number.',
  data: z.object({ ...invoice, paid: money }),
  earlier: [withLooseAmount(invoice, 'paid')],
});

export const NumberProvisioned = defineEvent({
  ...number,
  type: 'NumberProvisioned',
  summary: 'The carrier handed over a phone number.',
  data: z.object({ carrier_sid: z.string() }),
});

export const NumberPurchased = defineEvent({
  ...number,
  type: 'NumberPurchased',
  summary: 'The purchase of a phone number was completed; the account can use it.',
  data: z.object({ number_id: z.int(), phone_number: z.string() }),
});

export const NumberPurchaseFailed = defineEvent({
  ...number,
  type: 'NumberPurchaseFailed',
  summary: 'The purchase of a phone number failed; what was done for it is undone.',
  data: z.object({
    reason: z.enum(['not_available', 'payment_failed', 'provider_failed']),
    detail: z.string().describe("In the provider's words."),
  }),
});

export const NumberSubscriptionCancelled = defineEvent({
  ...number,
  type: 'NumberSubscriptionCancelled',
  summary: 'The subscription of a phone number was cancelled, if there was one.',
  data: z.object({
    subscription_id: z.string().nullable(),
    refunded_payment_intent_id: z
      .string()
      .nullable()
      .describe(
        'The payment that was given back: for a number that was never handed over, or of a month that was charged after the release.',
      ),
  }),
});

export const NumberReturned = defineEvent({
  ...number,
  type: 'NumberReturned',
  summary: 'A phone number was given back to the carrier, if it had been handed over.',
  data: z.object({ carrier_sid: z.string().nullable() }),
});

export const NumberPurchaseUndone = defineEvent({
  ...number,
  type: 'NumberPurchaseUndone',
  summary: 'Nothing is left of a failed purchase; the phone number can be bought again.',
  data: z.object({ phone_number: z.string() }),
});

export const NumberPurchaseRechecked = defineEvent({
  ...number,
  type: 'NumberPurchaseRechecked',
  summary:
    'A last look at the providers, for what may have come late of a failed purchase; it is undone as well.',
  data: z.object({ carrier_sid: z.string().nullable(), subscription_id: z.string().nullable() }),
});

export const NumberRenamed = defineEvent({
  ...number,
  type: 'NumberRenamed',
  summary: 'A phone number got another nickname, or none.',
  data: z.object({ nickname: z.string().nullable() }),
});

const renewal = { ...invoice, paid_until: instant };

export const NumberRenewed = defineEvent({
  ...number,
  type: 'NumberRenewed',
  version: 2,
  summary: 'Another month of a phone number was paid.',
  data: z.object({ ...renewal, paid: money }),
  earlier: [withLooseAmount(renewal, 'paid')],
});

const failedRenewal = {
  ...invoice,
  attempt: z.int().positive().describe('From 1.'),
  grace_ends_at: instant,
};

export const NumberRenewalFailed = defineEvent({
  ...number,
  type: 'NumberRenewalFailed',
  version: 2,
  summary: 'A month of a phone number could not be charged; the number works until its grace period ends.',
  data: z.object({ ...failedRenewal, due: money }),
  earlier: [withLooseAmount(failedRenewal, 'due')],
});

export const NumberReleaseRequested = defineEvent({
  ...number,
  type: 'NumberReleaseRequested',
  summary: 'A phone number is no longer the account’s; its subscription ends and the carrier gets it back.',
  data: z.object({
    number_id: z.int(),
    reason: z.enum(['customer', 'unpaid', 'subscription_ended']),
  }),
});

export const NumberReleased = defineEvent({
  ...number,
  type: 'NumberReleased',
  summary: 'Nothing is left of a released phone number; it can be bought again.',
  data: z.object({ phone_number: z.string() }),
});

export const PaymentCustomerCreated = defineEvent({
  ...paymentMethod,
  type: 'PaymentCustomerCreated',
  summary: 'The account became a customer of the payment provider.',
  data: z.object({ customer_id: z.string() }),
});

export const PaymentMethodSet = defineEvent({
  ...paymentMethod,
  type: 'PaymentMethodSet',
  summary: 'A payment method was put on file; it pays what is due from then on.',
  data: z.object({
    payment_method_id: z.string().describe("The payment provider's; a card's number is never known here."),
    brand: z.string(),
    last4: z.string(),
    exp_month: z.int(),
    exp_year: z.int(),
  }),
});

export const PaymentMethodRemoved = defineEvent({
  ...paymentMethod,
  type: 'PaymentMethodRemoved',
  summary: 'The payment method was taken off file.',
  data: z.object({ payment_method_id: z.string() }),
});

export type NumberEvent = EventOf<
  | typeof NumberPurchaseRequested
  | typeof NumberPriced
  | typeof NumberSubscribed
  | typeof NumberPaymentConfirmed
  | typeof NumberProvisioned
  | typeof NumberPurchased
  | typeof NumberPurchaseFailed
  | typeof NumberSubscriptionCancelled
  | typeof NumberReturned
  | typeof NumberPurchaseUndone
  | typeof NumberPurchaseRechecked
  | typeof NumberRenamed
  | typeof NumberRenewed
  | typeof NumberRenewalFailed
  | typeof NumberReleaseRequested
  | typeof NumberReleased
>;
export type PaymentMethodEvent = EventOf<
  typeof PaymentCustomerCreated | typeof PaymentMethodSet | typeof PaymentMethodRemoved
>;
