import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { isOpen, type Message, type OutgoingMessage } from '../message.ts';
import { checkAfter, checkUnlessRenewed } from '../outgoing/message-check.ts';

/** A status that the platform reports of a message of ours. Statuses come in any order, any number of times. */
export interface ReportedStatus {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly senderId: number;
  readonly reference: string | null;
  readonly messageSid: string;
  /** ISO 8601 */
  readonly at: string;
  readonly error: { readonly code: string; readonly reason: string | null } | null;
  /** The causation id of the message's first event: what had the message sent. Null when it is not known. */
  readonly causeId: string | null;
}

/** Of two statuses the one of higher rank holds: a message that arrived has not failed, whatever is reported later. */
const rank = { queued: 0, unknown: 0, sent: 1, failed: 2, delivered: 3, read: 4 } as const;

/** Records a reported status if it ranks above the known one, so that any order of reports leads to the same status. */
export function applyStatus(state: Message, report: ReportedStatus): Decision<MessageEvent> | Rejection {
  if (state?.direction !== 'outbound') return reject('not_found');
  if (!isAbout(state, report) || rank[report.status] <= rank[state.status])
    return { events: [], reply: '{}' };
  const events = eventsOf(state, report);
  const { start } = state;
  if (!isOpen(state) && report.status !== 'failed') return { events, reply: '{}' };
  // `message-check` settles the money: at once, or in 3 s while the sending process may still do so itself.
  const isAtWork = state.status === 'queued' && report.status !== 'failed';
  return { events, timers: [isAtWork ? checkUnlessRenewed(start) : checkAfter(0, start)], reply: '{}' };
}

/**
 * Whether the status is of this message. References were once the bare number, which other messages may have as well:
 * so the sender and the platform's id must match too.
 */
const isAbout = ({ start, messageSid }: OutgoingMessage, report: ReportedStatus): boolean =>
  start.reference === report.reference &&
  start.sender_id === report.senderId &&
  (messageSid === null || messageSid === report.messageSid);

function eventsOf(
  state: OutgoingMessage,
  { status, messageSid, at, error, causeId: cause_id }: ReportedStatus,
): MessageEvent[] {
  const { message_id } = state.start;
  const sent: MessageEvent[] =
    state.messageSid === null ? [{ type: 'MessageSent', data: { message_id, message_sid: messageSid } }] : [];
  switch (status) {
    case 'sent':
      return sent;
    case 'delivered':
      return [...sent, { type: 'MessageDelivered', data: { message_id, at } }];
    case 'read':
      return [...sent, { type: 'MessageRead', data: { message_id, at } }];
    case 'failed': {
      const reason = error?.reason ?? 'The chat platform could not deliver the message.';
      const code = error?.code ?? null;
      return [...sent, { type: 'MessageUndeliverable', data: { message_id, at, code, reason, cause_id } }];
    }
    default:
      return status satisfies never;
  }
}
