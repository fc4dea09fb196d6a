import {
  type MessageEvent,
  type OperationSuccess,
  type Rejection,
  reject,
  type sendChatAppTemplate,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { isOpen, type Message } from '../message.ts';
import { outcomeUnknown, sendFailed } from './send-failed.ts';
import { sentAnswer } from './sent-answer.ts';

/**
 * The answer of a repeated send request: what has become of its message. Rejects while that is under way, and when the
 * request's content (`fingerprint`, null: not compared) is another one.
 */
export function answerRequest(
  state: Message,
  fingerprint: string | null,
): Decision<MessageEvent, OperationSuccess<typeof sendChatAppTemplate>> | Rejection {
  if (state?.direction !== 'outbound') return reject('idempotency_in_progress');
  const { start, status, messageSid } = state;
  if (fingerprint !== null && fingerprint !== start.command_fingerprint)
    return reject('idempotency_key_reuse');
  if (messageSid !== null) return { events: [], reply: sentAnswer(state, messageSid, status) };
  if (status === 'queued') return reject('idempotency_in_progress');
  if (isOpen(state)) return outcomeUnknown(start);
  const refused = sendFailed('rejected', { code: null, reason: 'it was refused.' });
  // `earlier`: the client may repeat the request under another id, as nothing was sent and nothing will be.
  return { ...refused, details: { ...refused.details, earlier: true } };
}
