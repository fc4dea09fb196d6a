import type { EventOf, SmsEvent, SmsSendStarted } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

export type StartedSms = EventOf<typeof SmsSendStarted>['data'];

/**
 * How far an SMS is known to have come. `queued`: being handed over. `unknown`: it may have been handed over. The later
 * one of two that contradict each other is the truth, in whatever order they are told.
 */
export type SmsStatus = 'queued' | 'unknown' | 'sent' | 'failed' | 'delivered';

export interface OutgoingSms {
  readonly phase: 'outgoing';
  readonly start: StartedSms;
  readonly status: SmsStatus;
  /** The carrier's id, once it is known. */
  readonly carrierSid: string | null;
}

/** Given up before anything was handed over: what was about to send it must not go on. */
interface DroppedSms {
  readonly phase: 'dropped';
}

export type Sms = OutgoingSms | DroppedSms | null;

export const smsCategory = 'sms';
/** Also our word for it at the carrier, which says it back with each status. */
export const smsStream = (id: number): string => `${smsCategory}-${id}`;

/** The SMS that a status is about; `null` when it is none of ours. */
export function smsOfReference(reference: string | null): number | null {
  const id = /^sms-([1-9]\d{0,15})$/.exec(reference ?? '')?.[1];
  return id === undefined ? null : Number(id);
}

/** Whether somebody prepares it or hands it over, unless they have died. */
export const isAtWork = (state: Sms): boolean =>
  state === null || (state.phase === 'outgoing' && state.status === 'queued');

/** Whether it is still open what became of it. */
export const isOpen = ({ status }: OutgoingSms): boolean => status === 'queued' || status === 'unknown';

/** Whether the carrier has taken it, and has not said that it could not be delivered. */
export const isSent = (state: Sms): boolean =>
  state?.phase === 'outgoing' && !isOpen(state) && state.status !== 'failed';

export const sms: Fold<Sms, SmsEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'SmsSendStarted':
        return { phase: 'outgoing', start: event.data, status: 'queued', carrierSid: null };
      case 'SmsDropped':
        return { phase: 'dropped' };
      case 'SmsSent':
        return further(state, { status: 'sent', carrierSid: event.data.carrier_sid });
      case 'SmsFailed':
      case 'SmsUndeliverable':
        return further(state, { status: 'failed' });
      case 'SmsOutcomeUnknown':
        return further(state, { status: 'unknown' });
      case 'SmsDelivered':
        return further(state, { status: 'delivered' });
      default:
        event satisfies never;
        return state;
    }
  },
};

const further = (state: Sms, known: Partial<OutgoingSms>): Sms =>
  state?.phase === 'outgoing' ? { ...state, ...known } : state;
