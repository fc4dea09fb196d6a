import type { OneNumber, PhoneNumber } from './number.ts';
import { shownPrice } from './prices.ts';

/** The number's status; for owned numbers with the names of the API's lists. */
function statusOf({ phase, unpaid }: OneNumber) {
  switch (phase) {
    case 'buying':
      return 'buying';
    case 'owned':
      return unpaid ? 'past_due' : 'active';
    case 'undoing':
    case 'undone':
      return 'failed';
    case 'releasing':
    case 'released':
      return 'released';
    default:
      return phase satisfies never;
  }
}

/** A number as its history shows it, without the details of buying and returning it. */
export function showNumber(state: PhoneNumber) {
  if (!state) return null;
  const {
    id,
    phoneNumber,
    country,
    type,
    smsCapable,
    voiceCapable,
    nickname,
    price,
    paidUntil,
    unpaid,
    failure,
  } = state;
  return {
    id,
    phone_number: phoneNumber,
    country_code: country,
    type,
    sms_capable: smsCapable,
    voice_capable: voiceCapable,
    nickname,
    status: statusOf(state),
    failure,
    ...(price ? shownPrice(price) : { price: null, currency: null }),
    paid_until: paidUntil,
    grace_ends_at: unpaid?.graceEndsAt ?? null,
  };
}
