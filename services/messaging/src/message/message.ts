import { randomBytes } from 'node:crypto';
import type {
  EventOf,
  MessageEvent,
  MessageNotAnswered,
  MessageReceived,
  MessageSendStarted,
} from '@parley/contracts';
import type { Fold } from '@parley/event-store';

export type StartedSend = EventOf<typeof MessageSendStarted>['data'];
export type WhyNotAnswered = EventOf<typeof MessageNotAnswered>['data']['reason'];

/**
 * How far a message of ours has come. `queued`: being handed over. `unknown`: it may have been handed over. `failed`:
 * refused, or taken and reported undeliverable. `applyStatus` decides which of two reported statuses holds.
 */
type OutgoingStatus = 'queued' | 'unknown' | 'failed' | 'sent' | 'delivered' | 'read';

/** A message of ours from the record of its send on. */
export interface OutgoingMessage {
  readonly direction: 'outbound';
  readonly start: StartedSend;
  readonly status: OutgoingStatus;
  /** Why it failed, or why its outcome is unknown; else null. */
  readonly error: string | null;
  /** The chat platform's id, once it is known. */
  readonly messageSid: string | null;
}

export interface ReceivedMessage {
  readonly direction: 'inbound';
  readonly received: EventOf<typeof MessageReceived>['data'];
  /** Why the assistant does not reply although it was to; `null` when it does, may still, or was not to. */
  readonly notAnswered: WhyNotAnswered | null;
}

/** Given up before it was handed over: a process that still prepares it must not send it. */
interface DroppedMessage {
  readonly direction: 'dropped';
}

/** A message's state; null while nothing of it is on record. */
export type Message = null | OutgoingMessage | ReceivedMessage | DroppedMessage;

export const messageCategory = 'message';
export const messageStream = (id: number): string => `${messageCategory}-${id}`;

/**
 * A new reference, which the chat platform repeats in each status of the message. Message ids are given again after a
 * restore, and by other installations on the same number: the random end tells these messages apart.
 */
export const newReferenceOf = (id: number): string =>
  `${messageStream(id)}-${randomBytes(6).toString('hex')}`;

/**
 * The id of the message that a status may be about (the reference may lack the random end); null when it is none of
 * ours.
 */
export function idOfReference(reference: string | null): number | null {
  const id = /^message-([1-9]\d{0,15})(?:-[0-9a-f]{12})?$/.exec(reference ?? '')?.[1];
  return id === undefined ? null : Number(id);
}

/** Whether a process prepares the message or hands it over, unless that process died. */
export const isAtWork = (state: Message): boolean =>
  state === null || (state.direction === 'outbound' && state.status === 'queued');

/** Whether the outcome is not known yet. */
export const isOpen = ({ status }: OutgoingMessage): boolean => status === 'queued' || status === 'unknown';

/** Whether the platform has taken the message and has not reported it undeliverable. */
export const isSent = (state: Message): boolean =>
  state?.direction === 'outbound' && !isOpen(state) && state.status !== 'failed';

export const dropped = ({ message_id }: Pick<StartedSend, 'message_id'>): MessageEvent => ({
  type: 'MessageDropped',
  data: { message_id },
});

/**
 * Folds a message. Each status event counts as it comes: the decisions append none that ranks below the known status.
 */
export const message: Fold<Message, MessageEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'MessageSendStarted':
        return { direction: 'outbound', start: event.data, status: 'queued', error: null, messageSid: null };
      case 'MessageReceived':
        return { direction: 'inbound', received: event.data, notAnswered: null };
      case 'MessageNotAnswered':
        return state?.direction === 'inbound' ? { ...state, notAnswered: event.data.reason } : state;
      case 'MessageDropped':
        return { direction: 'dropped' };
      case 'MessageSent':
        return further(state, 'sent', { messageSid: event.data.message_sid });
      case 'MessageFailed':
      case 'MessageUndeliverable':
        return further(state, 'failed', { error: event.data.reason });
      case 'MessageOutcomeUnknown':
        return further(state, 'unknown', { error: event.data.reason });
      case 'MessageDelivered':
        return further(state, 'delivered');
      case 'MessageRead':
        return further(state, 'read');
      default:
        return state;
    }
  },
};

const further = (
  state: Message,
  status: OutgoingStatus,
  known: Partial<Pick<OutgoingMessage, 'error' | 'messageSid'>> = {},
): Message => (state?.direction === 'outbound' ? { ...state, status, error: null, ...known } : state);
