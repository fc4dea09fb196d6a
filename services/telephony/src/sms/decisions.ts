import { type Rejection, reject, type SmsEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { silenceMs } from '@parley/processing';
import type { SmsReport } from '@parley/providers/twilio';
import { isOpen, type OutgoingSms, type Sms, type SmsStatus, type StartedSms } from './sms.ts';
import { type Checked, checkAfter, checkUnlessRenewed, requestClaim, smsChecks } from './sms-check.ts';

type Outcome<Reply = unknown> = Decision<SmsEvent, Reply> | Rejection;
/** What a campaign is told of an SMS that was taken. */
interface Answer {
  readonly reference: string;
}

/** What was done about the money of an SMS; `open`: nothing yet, its check will. */
export type Payment = 'open' | 'charged' | 'refunded';

const nothing: Decision<SmsEvent> = { events: [], reply: '{}' };
const answerOf = ({ start }: OutgoingSms): Answer => ({ reference: String(start.sms_id) });

/**
 * The intent, on record before the carrier is asked. Refused when the SMS was dropped meanwhile: whoever prepared it took
 * too long, and its reservation is gone.
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
 * Nothing was handed over and nothing will be: the request may be made again. The money is given back only once this
 * is on record: before, the sending process could still record the intent, and send what nobody pays for.
 */
export const drop = (checked: Checked): Decision<SmsEvent> => ({
  events: [{ type: 'SmsDropped', data: { sms_id: checked.sms_id } }],
  claims: requestClaim('release', checked),
  timers: [checkAfter(0, checked)],
  reply: '{}',
});

/** The carrier has taken it. */
export function recordSent(state: Sms, carrierSid: string, payment: Payment): Outcome<Answer> {
  if (state?.phase !== 'outgoing') return reject('not_found');
  const { start, status } = state;
  const isSettled = status === 'failed' ? payment === 'refunded' : payment !== 'open';
  return {
    events: state.carrierSid === null && status !== 'failed' ? [sentBy(start, carrierSid)] : [],
    reply: answerOf(state),
    ...(isSettled
      ? { cancelTimers: [smsChecks.checkId(start.sms_id)] }
      : { timers: [payment === 'open' ? checkUnlessRenewed(start) : checkAfter(0, start)] }),
  };
}

/** The carrier has refused it: certainly not sent, so that the request may be made again. */
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
    // The reservation is given back next; should that not happen, the check does it.
    timers: [checkUnlessRenewed(start)],
    reply: '{}',
  };
}

/**
 * The sending process has not handed it over and will not, but cannot tell how much of it is on record: the request
 * may be made again.
 */
export const takeBack = (state: Sms, checked: Checked): Outcome =>
  state === null ? drop(checked) : recordRefused(state, { code: null, reason: 'It was not handed over.' });

/** Nobody knows whether the carrier has taken it; when it never tells, the reservation is given back. */
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

/** An SMS that arrived has not failed, whatever is told later. */
const rank: Readonly<Record<SmsStatus, number>> = { queued: 0, unknown: 0, sent: 1, failed: 2, delivered: 3 };

/** What the carrier tells, in any order and any number of times: never backwards, and the money follows. */
export function applyReport(state: Sms, { sid, status, errorCode }: SmsReport): Decision<SmsEvent> {
  if (state?.phase !== 'outgoing' || rank[status] <= rank[state.status]) return nothing;
  const { start, carrierSid } = state;
  // A log that was restored from a backup gives numbers again: it is about the one that had this number before.
  if (carrierSid !== null && carrierSid !== sid) return nothing;
  const events: SmsEvent[] = carrierSid === null ? [sentBy(start, sid)] : [];
  if (status === 'delivered') events.push({ type: 'SmsDelivered', data: { sms_id: start.sms_id } });
  if (status === 'failed') events.push(undeliverable(start, errorCode));
  if (!isOpen(state) && status !== 'failed') return { events, reply: '{}' };
  // Its sender may be gone, or has paid for it: what the outcome means for the money is seen to right after; but a sender
  // that hears of it at the same time, as most do, is left the time to pay for it itself.
  const isAtWork = state.status === 'queued' && status !== 'failed';
  return { events, timers: [isAtWork ? checkUnlessRenewed(start) : checkAfter(0, start)], reply: '{}' };
}

/** What a request is answered with whose SMS this is. */
export function answerRequest(state: Sms): Outcome<Answer> {
  if (state?.phase !== 'outgoing') return reject('idempotency_in_progress');
  if (state.carrierSid !== null) return { events: [], reply: answerOf(state) };
  if (state.status === 'queued') return reject('idempotency_in_progress');
  return isOpen(state) ? outcomeUnknown(state) : sendFailed(null, 'It was refused.');
}

/** Certainly not sent: the carrier said no. */
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
