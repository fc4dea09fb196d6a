import type { LeadEvent, SmsUndeliverableEvent } from '@parley/contracts';
import { type LiveLead, leadStream } from '../lead/lead.ts';
import { commandIdOf } from './attempt-command.ts';
import { startUnheardOf } from './end-of-call.ts';
import { nextOpening, type OpeningHours } from './windows.ts';

type Undeliverable = Pick<SmsUndeliverableEvent['data'], 'sms_id' | 'code' | 'command_id'>;

/**
 * Twilio took it, and dropped it before its turn to be sent came: its queue was too long, our account was suspended, or
 * the campaign's window closed.
 */
const unsent: ReadonlyMap<string | null, string> = new Map([
  ['30001', 'The carrier did not send the SMS: too many were waiting.'],
  ['30002', 'The carrier did not send the SMS: its account was suspended.'],
  ['30036', 'The carrier did not send the SMS: its time was over before its turn came.'],
]);

/** The sooner the same is asked for, the longer the carrier's queue. */
const againAfterMs = 60_000;

/** Nobody was reached though the carrier had taken it: the lead is given back for the campaign's next hours. */
export function smsUnsent(
  state: LiveLead,
  { sms_id, code, command_id }: Undeliverable,
  hours: OpeningHours,
  now: Date,
): LeadEvent[] {
  const reason = unsent.get(code);
  if (reason === undefined || command_id !== commandIdOf(leadStream(state.id), state.attempts)) return [];
  if (!isUpToDate(state)) return [];
  const soonest = new Date(now.getTime() + againAfterMs);
  const due_at = (nextOpening(hours, soonest) ?? soonest).toISOString();
  const { campaignId: campaign_id, attempts: attempt, tried } = state;
  const about = { campaign_id, attempt, contact_id: tried.contactId, at: now.toISOString() };
  return [
    ...startUnheardOf(state, { call_id: sms_id, command_id }, about.at),
    { type: 'LeadAttemptWithdrawn', data: { ...about, reason, due_at, is_outcome_unknown: false } },
  ];
}

/** Whoever was written to last has the same number still, and nobody else's turn has come. */
const isUpToDate = ({ attempt, withdrawn, next, tried }: LiveLead): boolean =>
  attempt ? !attempt.isOutdated : withdrawn !== null || (next === null && tried.times > 0);
