import {
  type MessageEvent,
  type OperationSuccess,
  type Rejection,
  reject,
  type sendChatAppTemplate,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { silenceMs } from '@parley/processing';
import { isOpen, type Message, type OutgoingMessage } from '../message.ts';
import { checkAfter, checkUnlessRenewed, messageChecks, requestClaim } from './message-check.ts';
import { sentAnswer } from './sent-answer.ts';

type Answer = OperationSuccess<typeof sendChatAppTemplate>;

/** What was done with the message's hold; `open`: nothing yet, `message-check` will. */
export type Payment = 'open' | 'charged' | 'refunded';

/** Records that the platform has taken the message; the reply is the answer of its request. */
export function recordSent(
  state: Message,
  messageSid: string,
  payment: Payment,
): Decision<MessageEvent, Answer> | Rejection {
  if (state?.direction !== 'outbound') return reject('not_found');
  const { start, status } = state;
  const events: MessageEvent[] =
    state.messageSid === null
      ? [{ type: 'MessageSent', data: { message_id: start.message_id, message_sid: messageSid } }]
      : [];
  return {
    events,
    reply: sentAnswer(state, messageSid, isOpen(state) ? 'sent' : status),
    ...(isSettled(status, payment)
      ? { cancelTimers: [messageChecks.checkId(start.message_id)] }
      : { timers: [payment === 'open' ? checkUnlessRenewed(start) : checkAfter(0, start)] }),
  };
}

/** A message that failed while it was being charged is still to be refunded by its check. */
const isSettled = (status: OutgoingMessage['status'], payment: Payment): boolean =>
  status === 'failed' ? payment === 'refunded' : payment !== 'open';

/** Records that the platform refused the message: it was certainly not sent, so the request may be made again. */
export function recordRefused(
  state: Message,
  refusal: { readonly code: string | null; readonly reason: string },
): Decision<MessageEvent> | Rejection {
  if (state?.direction !== 'outbound') return reject('not_found');
  if (!isOpen(state)) return nothing;
  const { start } = state;
  return {
    events: [{ type: 'MessageFailed', data: { message_id: start.message_id, ...refusal } }],
    claims: requestClaim('release', start),
    // The sending process releases the hold next; if it dies, the check does.
    timers: [checkUnlessRenewed(start)],
    reply: '{}',
  };
}

/** Records that the platform may have taken the message. If it reports nothing within a day, the hold is given back. */
export function recordUnknown(state: Message, reason: string): Decision<MessageEvent> | Rejection {
  if (state?.direction !== 'outbound') return reject('not_found');
  if (state.status !== 'queued') return nothing;
  return {
    events: [{ type: 'MessageOutcomeUnknown', data: { message_id: state.start.message_id, reason } }],
    timers: [checkAfter(silenceMs, state.start)],
    reply: '{}',
  };
}

const nothing: Decision<MessageEvent> = { events: [], reply: '{}' };
