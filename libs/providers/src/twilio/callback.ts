import { z } from 'zod';
import { twilioSdk } from './client.ts';

/** A status that Twilio reports of an SMS that it has accepted. */
export interface SmsReport {
  readonly sid: string;
  readonly status: 'sent' | 'delivered' | 'failed';
  /** Twilio's error code; null unless it reports one. */
  readonly errorCode: string | null;
}

type SmsCallback =
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'malformed' }
  /** `null` for a status that changes nothing here, such as `queued`. */
  | { readonly kind: 'report'; readonly report: SmsReport | null };

const parameters = z.object({
  MessageSid: z.string().min(1).max(64),
  MessageStatus: z.string(),
  ErrorCode: z.string().max(16).optional(),
});

const statuses: ReadonlyMap<string, SmsReport['status']> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
]);

/** Verifies a callback's signature, which covers `url` as Twilio called it and the posted form, and reads it. */
export async function readTwilioSmsCallback(
  authToken: string,
  { url, body, signature }: { readonly url: string; readonly body: Buffer; readonly signature: string },
): Promise<SmsCallback> {
  const { validateRequest } = await twilioSdk();
  const posted = valuesOf(body.toString('utf8'));
  if (!URL.canParse(url) || !validateRequest(authToken, signature, url, posted)) return { kind: 'unsigned' };
  const { data } = parameters.safeParse(posted);
  if (!data) return { kind: 'malformed' };
  const { MessageSid: sid, MessageStatus, ErrorCode: errorCode = null } = data;
  const status = statuses.get(MessageStatus);
  return { kind: 'report', report: status ? { sid, status, errorCode } : null };
}

/**
 * The form's fields; a name that occurs several times has the list of its values, as the signature covers all of them.
 */
function valuesOf(form: string): Record<string, string | string[]> {
  const entries = new URLSearchParams(form);
  return Object.fromEntries(
    [...new Set(entries.keys())].map((name) => {
      const [first = '', ...more] = entries.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
