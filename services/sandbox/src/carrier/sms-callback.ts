import { createHmac } from 'node:crypto';
import type { Callback } from '../callbacks/callback.ts';
import type { Hook } from '../callbacks/courier.ts';
import type { SmsMessage, SmsStatus } from './message.ts';

/** Twilio's "unknown destination handset" and "unreachable destination handset". */
const errorCodes: Partial<Record<SmsStatus, string>> = { failed: '30005', undelivered: '30003' };

/** A status callback as Twilio posts it; `null` when the SMS was sent without a URL for them. */
export function smsStatusChanged(
  { sid, from_number, to_number, status_url }: SmsMessage,
  status: SmsStatus,
  accountSid: string,
  errorCode = errorCodes[status],
): Callback | null {
  if (status_url === '') return null;
  return {
    provider: 'carrier',
    topic: `carrier:${sid}`,
    event: `sms.${status}`,
    url: status_url,
    payload: {
      SmsSid: sid,
      SmsStatus: status,
      MessageStatus: status,
      To: to_number,
      MessageSid: sid,
      AccountSid: accountSid,
      From: from_number,
      ApiVersion: '2010-04-01',
      ...(errorCode === undefined ? {} : { ErrorCode: errorCode }),
    },
  };
}

/**
 * Twilio posts forms. It signs the URL without its fragment, followed by all parameters in the order of their
 * names.
 */
export const twilioHook = (authToken: string): Hook => ({
  path: '/hooks/sms/twilio',
  encode: (payload) => new URLSearchParams(JSON.parse(payload)).toString(),
  headers: async (body, url) => {
    const parameters = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1));
    const signed = url.replace(/#.*$/s, '') + parameters.map(([name, value]) => name + value).join('');
    return {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-twilio-signature': createHmac('sha1', authToken).update(signed).digest('base64'),
    };
  },
});
