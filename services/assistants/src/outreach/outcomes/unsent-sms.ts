import type { LeadEvent, SmsUndeliverableEvent } from '@parley/contracts';
import type { LiveLead } from '../../lead/lead.ts';
import { quarterOfAnHour } from '../attempt/hold-ups.ts';
import { unsent } from './unsent.ts';

type Undeliverable = Pick<SmsUndeliverableEvent['data'], 'sms_id' | 'code' | 'command_id'>;

/** Seconds until an SMS is sent again that was too many: the sooner, the longer the carrier's queue. */
const soon = 60;

/**
 * By Twilio's code: why an SMS that it had taken reached nobody, whomever it was for, and in how many seconds it is sent
 * again. Twilio dropped it before its turn came, or networks of the US take none from the number that sends, at present
 * or until it is registered.
 */
const causes: ReadonlyMap<string | null, readonly [reason: string, againAfterS: number]> = new Map([
  ['30001', ['too many were waiting.', soon]],
  ['30002', ['its account was suspended.', soon]],
  ['30022', ['too many were sent at once.', soon]],
  ['30023', ['as many as may be were sent today.', quarterOfAnHour]],
  ['30027', ['as many as T-Mobile takes were sent today.', quarterOfAnHour]],
  ['30032', ['the toll-free number that sends is not verified.', quarterOfAnHour]],
  ['30034', ['the number that sends is not registered for SMS to the US (A2P 10DLC).', quarterOfAnHour]],
  ['30035', ['the registration of the number that sends, for SMS to the US, is under way.', quarterOfAnHour]],
  ['30036', ['its time was over before its turn came.', soon]],
]);

/** The events of a lead whose SMS could not be delivered; none unless the carrier did not send it at all. */
export function smsUnsent(
  state: LiveLead,
  { sms_id: id, code, command_id: commandId }: Undeliverable,
  now: Date,
): LeadEvent[] {
  const cause = causes.get(code);
  if (!cause) return [];
  const [why, againAfterS] = cause;
  const reason = `The carrier did not send the SMS: ${why}`;
  return unsent(state, { id, commandId, reason, againAfterMs: againAfterS * 1_000 }, now);
}
