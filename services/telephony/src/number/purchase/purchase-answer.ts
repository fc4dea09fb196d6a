import { type OperationSuccess, type purchasePhoneNumber, type Rejection, reject } from '@parley/contracts';
import type { FailureReason, OneNumber } from '../number.ts';

/** A bought number as the API's answers show it. */
export const toPurchased = ({ id, phoneNumber, country, type, smsCapable }: OneNumber) => ({
  id,
  phone_number: phoneNumber,
  country_code: country,
  type,
  sms_capable: smsCapable,
});

/** The answer of a completed purchase. */
export const purchaseAnswer = (number: OneNumber): OperationSuccess<typeof purchasePhoneNumber> => ({
  message: 'Phone number purchased successfully',
  data: toPurchased(number),
});

const rejectionCodes = {
  not_available: 'number_not_available',
  payment_failed: 'payment_failed',
  provider_failed: 'purchase_failed',
} as const satisfies Readonly<Record<FailureReason, Rejection['code']>>;

/** The rejection of a failed purchase. */
export const failedAnswer = (reason: FailureReason): Rejection => reject(rejectionCodes[reason]);

/** The rejection of a repeated request whose purchase is on record and not complete. */
export function openAnswer(number: OneNumber, fingerprint: string | null): Rejection {
  if (fingerprint !== null && number.commandFingerprint !== fingerprint)
    return reject('idempotency_key_reuse');
  return number.failure === null ? reject('idempotency_in_progress') : failedAnswer(number.failure);
}
