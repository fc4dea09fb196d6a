import type { LeadEvent, SmsUndeliverableEvent } from '@parley/contracts';
import type { LiveLead } from '../../lead/lead.ts';
import type { OpeningHours } from '../pacing/windows.ts';
import { unsent } from './unsent.ts';

type Undeliverable = Pick<SmsUndeliverableEvent['data'], 'sms_id' | 'code' | 'command_id'>;

/**
 * By Twilio's code: why it dropped an SMS that it had taken before its turn to be sent came. Its queue was too long,
 * our account was suspended, or the campaign's window closed.
 */
const reasons: ReadonlyMap<string | null, string> = new Map([
  ['30001', 'The carrier did not send the SMS: too many were waiting.'],
  ['30002', 'The carrier did not send the SMS: its account was suspended.'],
  ['30036', 'The carrier did not send the SMS: its time was over before its turn came.'],
]);

/** How soon the same SMS is sent again: the sooner, the longer the carrier's queue. */
const againAfterMs = 60_000;

/** The events of a lead whose SMS could not be delivered; none unless the carrier did not send it at all. */
export function smsUnsent(
  state: LiveLead,
  { sms_id: id, code, command_id: commandId }: Undeliverable,
  hours: OpeningHours,
  now: Date,
): LeadEvent[] {
  const reason = reasons.get(code);
  return reason === undefined ? [] : unsent(state, { id, commandId, reason, againAfterMs }, hours, now);
}
