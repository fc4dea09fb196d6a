import { type Rejection, reject, type SmsEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { silenceMs } from '@parley/processing';
import type { SmsReport } from '@parley/providers/twilio';
import { isOpen, type OutgoingSms, type Sms, type SmsStatus, type StartedSms } from './sms.ts';
import { type Checked, checkAfter, checkUnlessRenewed, requestClaim, smsChecks } from './sms-check.ts';

type Outcome<Reply = unknown> = Decision<SmsEvent, Reply> | Rejection;
/** The answer to a campaign whose SMS the carrier has taken. */
interface Answer {
  readonly reference: string;
}

/** What was done with the hold of an SMS; `open`: nothing yet, `sms-check` will. */
export type Payment = 'open' | 'charged' | 'refunded';

const nothing: Decision<SmsEvent> = { events: [], reply: '{}' };
const answerOf = ({ start }: OutgoingSms): Answer => ({ reference: String(start.sms_id) });

/**
 * Records the send before the carrier is asked. Refused when the SMS was dropped meanwhile: its preparation took too
 * long, and its hold is gone.
 */
export const startSend = (state: Sms, start: StartedSms): Outcome =>
  state
    ? reject('contended')
    : {
        events: [{ type: 'SmsSendStarted', data: start }],
        timers: [checkUnlessRenewed(start)],
        reply: '{}',
      };

/**
 * Gives an SMS up that was not handed over; the request may be made again. Its money is given back only after this is
 * recorded: before, its process might still record the send and hand it over unpaid.
 */
export const drop = (checked: Checked): Decision<SmsEvent> => ({
  events: [{ type: 'SmsDropped', data: { sms_id: checked.sms_id } }],
  claims: requestClaim('release', checked),
  timers: [checkAfter(0, checked)],
  reply: '{}',
});

/** Records that the carrier has taken the SMS; the reply is the answer of its request. */
export function recordSent(state: Sms, carrierSid: string, payment: Payment): Outcome<Answer> {
  if (state?.phase !== 'outgoing') return reject('not_found');
  const { start, status } = state;
  const isSettled = status === 'failed' ? payment === 'refunded' : payment !== 'open';
  return {
    events: state.carrierSid === null ? [sentBy(start, carrierSid)] : [],
    reply: answerOf(state),
    ...(isSettled
      ? { cancelTimers: [smsChecks.checkId(start.sms_id)] }
      : { timers: [payment === 'open' ? checkUnlessRenewed(start) : checkAfter(0, start)] }),
  };
}

/** Records that the carrier refused the SMS: it was certainly not sent, so the request may be made again. */
export function recordRefused(
  state: Sms,
  refusal: { readonly code: string | null; readonly reason: string },
): Outcome {
  if (state?.phase !== 'outgoing') return reject('not_found');
  const { start } = state;
  if (!isOpen(state)) return nothing;
  return {
    events: [{ type: 'SmsFailed', data: { sms_id: start.sms_id, ...refusal } }],
    claims: requestClaim('release', start),
    // The sending process releases the hold next; if it dies, the check does.
    timers: [checkUnlessRenewed(start)],
    reply: '{}',
  };
}

/**
 * Gives up a send that was not handed over, where the process cannot tell how much of it is on record. The request may
 * be made again.
 */
export const takeBack = (state: Sms, checked: Checked): Outcome =>
  state === null ? drop(checked) : recordRefused(state, { code: null, reason: 'It was not handed over.' });

/** Records that the carrier may have taken the SMS. If it reports nothing within a day, the hold is given back. */
export function recordUnknown(state: Sms, reason: string): Outcome {
  if (state?.phase !== 'outgoing') return reject('not_found');
  const { start, status } = state;
  if (status !== 'queued') return nothing;
  return {
    events: [{ type: 'SmsOutcomeUnknown', data: { sms_id: start.sms_id, reason } }],
    timers: [checkAfter(silenceMs, start)],
    reply: '{}',
  };
}

/** Of two statuses the one of higher rank holds: an SMS that arrived has not failed, whatever is reported later. */
const rank: Readonly<Record<SmsStatus, number>> = { queued: 0, unknown: 0, sent: 1, failed: 2, delivered: 3 };

/**
 * Records a status that the carrier reports, in any order and any number of times, if it ranks above the known one. The
 * check then settles the money.
 */
export function applyReport(state: Sms, { sid, status, errorCode }: SmsReport): Decision<SmsEvent> {
  if (state?.phase !== 'outgoing' || rank[status] <= rank[state.status]) return nothing;
  const { start, carrierSid } = state;
  // The report is about an SMS that had this id before the log was restored from a backup.
  if (carrierSid !== null && carrierSid !== sid) return nothing;
  const events: SmsEvent[] = carrierSid === null ? [sentBy(start, sid)] : [];
  if (status === 'delivered') events.push({ type: 'SmsDelivered', data: { sms_id: start.sms_id } });
  if (status === 'failed') events.push(undeliverable(start, errorCode));
  if (!isOpen(state) && status !== 'failed') return { events, reply: '{}' };
  // `sms-check` settles the money: at once, or in 3 s while the sending process, which most often learns of the outcome
  // at the same time, may still do so itself.
  const isAtWork = state.status === 'queued' && status !== 'failed';
  return { events, timers: [isAtWork ? checkUnlessRenewed(start) : checkAfter(0, start)], reply: '{}' };
}

/** The answer of a repeated request: what has become of its SMS. */
export function answerRequest(state: Sms): Outcome<Answer> {
  if (state?.phase !== 'outgoing') return reject('idempotency_in_progress');
  if (state.carrierSid !== null) return { events: [], reply: answerOf(state) };
  if (state.status === 'queued') return reject('idempotency_in_progress');
  return isOpen(state) ? outcomeUnknown(state) : sendFailed(null, 'It was refused.');
}

/** Rejection of an SMS that was certainly not sent, as the carrier refused it. */
export const sendFailed = (code: string | null, reason: string): Rejection =>
  reject('send_failed', {
    message: `The carrier rejected the SMS: ${reason}`,
    details: { outcome: 'not_sent', provider_code: code },
  });

const outcomeUnknown = ({ start }: OutgoingSms): Rejection =>
  reject('send_failed', {
    message: 'The carrier gave no usable answer. The SMS may have been sent; it is not sent again.',
    details: { outcome: 'unknown', sms_id: start.sms_id },
  });

const sentBy = ({ sms_id }: StartedSms, carrier_sid: string): SmsEvent => ({
  type: 'SmsSent',
  data: { sms_id, carrier_sid },
});

const undeliverable = ({ sms_id, lead_id, command_id }: StartedSms, code: string | null): SmsEvent => ({
  type: 'SmsUndeliverable',
  data: { sms_id, code, lead_id, command_id },
});
