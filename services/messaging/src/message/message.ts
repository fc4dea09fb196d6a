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
 * How far a message of ours has come, as far as we know. `queued`: being handed over. `unknown`: it may have been
 * handed over. Of two that contradict each other the later one is true, in whatever order they are told.
 */
type OutgoingStatus = 'queued' | 'unknown' | 'failed' | 'sent' | 'delivered' | 'read';

export interface OutgoingMessage {
  readonly direction: 'outbound';
  readonly start: StartedSend;
  readonly status: OutgoingStatus;
  /** Why it failed, or why it is not known whether it did. */
  readonly error: string | null;
  /** The chat platform's id, once it is known. */
  readonly messageSid: string | null;
}

export interface ReceivedMessage {
  readonly direction: 'inbound';
  readonly received: EventOf<typeof MessageReceived>['data'];
  /** Why the assistant does not answer it, although it was to; `null` while nothing is known of that. */
  readonly notAnswered: WhyNotAnswered | null;
}

/** Given up before anything was handed over: what was about to send it must not go on. */
interface DroppedMessage {
  readonly direction: 'dropped';
}

export type Message = null | OutgoingMessage | ReceivedMessage | DroppedMessage;

export const messageCategory = 'message';
export const messageStream = (id: number): string => `${messageCategory}-${id}`;

/**
 * What the chat platform says back in each status of the message. A log that was restored from a backup gives numbers
 * again, and another installation on the same number gives the same ones: the random end tells them apart.
 */
export const newReferenceOf = (id: number): string =>
  `${messageStream(id)}-${randomBytes(6).toString('hex')}`;

/** The message that a status may be about, also from before references had a random end; null when it is none of ours. */
export function idOfReference(reference: string | null): number | null {
  const id = /^message-([1-9]\d{0,15})(?:-[0-9a-f]{12})?$/.exec(reference ?? '')?.[1];
  return id === undefined ? null : Number(id);
}

/** Whether somebody prepares it or hands it over, unless they have died. */
export const isAtWork = (state: Message): boolean =>
  state === null || (state.direction === 'outbound' && state.status === 'queued');

/** Whether it is still open what became of it. */
export const isOpen = ({ status }: OutgoingMessage): boolean => status === 'queued' || status === 'unknown';

/** Whether the platform has taken it, and has not said that it could not be delivered. */
export const isSent = (state: Message): boolean =>
  state?.direction === 'outbound' && !isOpen(state) && state.status !== 'failed';

export const dropped = ({ message_id }: Pick<StartedSend, 'message_id'>): MessageEvent => ({
  type: 'MessageDropped',
  data: { message_id },
});

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
