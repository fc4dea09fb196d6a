import { formatMicros } from '@parley/contracts';
import type { Sms } from './sms.ts';

/** An SMS as its history shows it, in the API's names; null for one that was dropped before it was handed over. */
export function showSms(state: Sms) {
  if (state?.phase !== 'outgoing') return null;
  const { start, status, carrierSid, error, errorCode } = state;
  return {
    id: start.sms_id,
    lead_id: start.lead_id,
    campaign_id: start.campaign_id,
    phone_number_id: start.phone_number_id,
    own_phone: start.own_phone,
    customer_phone: start.customer_phone,
    body: start.body,
    price: formatMicros(start.price_micros),
    status,
    carrier_sid: carrierSid,
    error,
    error_code: errorCode,
  };
}
