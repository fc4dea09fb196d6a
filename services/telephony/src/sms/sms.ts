import type { EventOf, SmsEvent, SmsSendStarted } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

export type StartedSms = EventOf<typeof SmsSendStarted>['data'];

/**
 * How far an SMS has come. `queued`: being handed over. `unknown`: it may have been handed over. `failed`: refused, or
 * taken and reported undeliverable. `applyReport` decides which of two reported statuses holds.
 */
export type SmsStatus = 'queued' | 'unknown' | 'sent' | 'failed' | 'delivered';

/** An SMS from the record of its send on. */
export interface OutgoingSms {
  readonly phase: 'outgoing';
  readonly start: StartedSms;
  readonly status: SmsStatus;
  /** The carrier's id, once it is known. */
  readonly carrierSid: string | null;
  /** Why it failed, or may have, and the carrier's code for that; null where there is none. */
  readonly error: string | null;
  readonly errorCode: string | null;
}

/** Given up before it was handed over: a process that still prepares it must not send it. */
interface DroppedSms {
  readonly phase: 'dropped';
}

/** The state of an SMS; null while nothing of it is on record. */
export type Sms = OutgoingSms | DroppedSms | null;

export const smsCategory = 'sms';
/** Stream of an SMS, and our reference of it, which the carrier repeats with each status. */
export const smsStream = (id: number): string => `${smsCategory}-${id}`;

/** The id of the SMS that a status is about; `null` when it is none of ours. */
export function smsOfReference(reference: string | null): number | null {
  const id = /^sms-([1-9]\d{0,15})$/.exec(reference ?? '')?.[1];
  return id === undefined ? null : Number(id);
}

/** Whether a process prepares the SMS or hands it over, unless that process died. */
export const isAtWork = (state: Sms): boolean =>
  state === null || (state.phase === 'outgoing' && state.status === 'queued');

/** Whether the outcome is not known yet. */
export const isOpen = ({ status }: OutgoingSms): boolean => status === 'queued' || status === 'unknown';

/** Whether the carrier has taken the SMS and has not reported it undeliverable. */
export const isSent = (state: Sms): boolean =>
  state?.phase === 'outgoing' && !isOpen(state) && state.status !== 'failed';

export const sms: Fold<Sms, SmsEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SmsSendStarted':
        return {
          phase: 'outgoing',
          start: event.data,
          status: 'queued',
          carrierSid: null,
          error: null,
          errorCode: null,
        };
      case 'SmsDropped':
        return { phase: 'dropped' };
      case 'SmsSent':
        return further(state, { status: 'sent', carrierSid: event.data.carrier_sid });
      case 'SmsFailed':
        return further(state, { status: 'failed', error: event.data.reason, errorCode: event.data.code });
      case 'SmsUndeliverable':
        return further(state, { status: 'failed', errorCode: event.data.code });
      case 'SmsOutcomeUnknown':
        return further(state, { status: 'unknown', error: event.data.reason });
      case 'SmsDelivered':
        return further(state, { status: 'delivered' });
      default:
        event satisfies never;
        return state;
    }
  },
};

/** The SMS with what is known by now; an earlier error says nothing any more. */
const further = (state: Sms, known: Partial<OutgoingSms>): Sms =>
  state?.phase === 'outgoing' ? { ...state, error: null, errorCode: null, ...known } : state;
