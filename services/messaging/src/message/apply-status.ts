import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { isOpen, type Message, type OutgoingMessage } from './message.ts';
import { checkAfter, checkUnlessRenewed } from './message-check.ts';

/** What the platform tells of a message of ours, in any order and any number of times. */
export interface ReportedStatus {
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly senderId: number;
  readonly reference: string | null;
  readonly messageSid: string;
  /** ISO 8601 */
  readonly at: string;
  readonly error: { readonly code: string; readonly title: string } | null;
  /** What had the message sent; null when that is not known. */
  readonly causeId: string | null;
}

/** A message that arrived has not failed, whatever is told later. */
const rank = { queued: 0, unknown: 0, sent: 1, failed: 2, delivered: 3, read: 4 } as const;

/** Never backwards: what is told in whatever order leads to the same status. */
export function applyStatus(state: Message, report: ReportedStatus): Decision<MessageEvent> | Rejection {
  if (state?.direction !== 'outbound') return reject('not_found');
  if (!isAbout(state, report) || rank[report.status] <= rank[state.status])
    return { events: [], reply: '{}' };
  const events = eventsOf(state, report);
  const { start } = state;
  if (!isOpen(state) && report.status !== 'failed') return { events, reply: '{}' };
  // The check settles the money: at once, or after 3 s while the sender may still do so itself.
  const isAtWork = state.status === 'queued' && report.status !== 'failed';
  return { events, timers: [isAtWork ? checkUnlessRenewed(start) : checkAfter(0, start)], reply: '{}' };
}

/** References were no more than a number before they had a random end: other messages may come with the same one. */
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
      const reason = error?.title ?? 'The chat platform could not deliver the message.';
      const code = error?.code ?? null;
      return [...sent, { type: 'MessageUndeliverable', data: { message_id, at, code, reason, cause_id } }];
    }
    default:
      return status satisfies never;
  }
}
