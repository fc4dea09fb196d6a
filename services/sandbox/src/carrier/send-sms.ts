import { z } from 'zod';
import type { ProviderAnswer, ProviderRequest } from '../provider/provider.ts';
import type { World } from '../world.ts';
import { canSend, saveSms } from './message.ts';
import { smsStatusChanged } from './sms-callback.ts';
import { magicNumbers } from './stock.ts';
import { sentMessage, twilioError } from './twilio-format.ts';

const maxBody = 1_600;
/** The longest `ValidityPeriod`, in seconds. */
const longestValidity = 36_000;

const sms = z.looseObject({
  From: z.string(),
  To: z.string(),
  Body: z.string().min(1),
  StatusCallback: z.string().default(''),
  ValidityPeriod: z.coerce.number().default(longestValidity),
});

/**
 * What tells repetitions of a send apart in the request log: Twilio has no idempotency keys for SMS, but the URL
 * for status callbacks names the SMS.
 */
export function smsKey({ body }: ProviderRequest): string | null {
  const { data } = z.looseObject({ StatusCallback: z.string() }).safeParse(body);
  return data?.StatusCallback ?? null;
}

/** POST /Messages.json: takes an SMS and queues the callback that it was sent. */
export async function sendSms(
  world: World,
  request: ProviderRequest,
  accountSid: string,
): Promise<ProviderAnswer> {
  const { data } = sms.safeParse(request.body ?? {});
  if (!data) return twilioError(400, 21602, 'Message body is required.');
  const { From: from_number, To: to_number, Body: body, StatusCallback: status_url } = data;
  if (!/^\+[1-9]\d{6,14}$/.test(to_number) || to_number === magicNumbers.invalid)
    return twilioError(400, 21211, `Invalid 'To' Phone Number: ${to_number}`);
  if (body.length > maxBody)
    return twilioError(400, 21617, 'The concatenated message body exceeds the 1600 character limit.');
  if (status_url !== '' && !URL.canParse(status_url))
    return twilioError(400, 21609, `The StatusCallback URL ${status_url} is not a valid URL.`);
  if (!(data.ValidityPeriod >= 1 && data.ValidityPeriod <= longestValidity))
    return twilioError(400, 90007, 'The validity period must be from 1 to 36000 seconds.');
  if (!(await canSend(world.pool, from_number)))
    return twilioError(400, 21606, `The From phone number ${from_number} cannot send an SMS.`);
  const now = world.clock.now();
  const message = await world.change(async (db, tell) => {
    const saved = await saveSms(db, { from_number, to_number, body, status_url }, now);
    const callback = smsStatusChanged(saved, 'sent', accountSid);
    if (callback) await tell(callback);
    return saved;
  });
  return { status: 201, body: sentMessage(message, accountSid) };
}
