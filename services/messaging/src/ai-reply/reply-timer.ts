import type { MessageEvent } from '@parley/contracts';
import type { Decision, TimerRequest } from '@parley/event-store';
import type { Message } from '../message/message.ts';

export const replyKind = 'ai-reply';

/** Milliseconds after which a reply is begun again, in case its process died or the language model did not answer. */
const againAfterMs = 30_000;

/** How often a reply that is under way moves its timer, and how far away that is then at least, in milliseconds. */
export const heldEveryMs = 10_000;
const heldForMs = 15_000;

export const replyTimerId = (messageId: number): string => `${replyKind}-${messageId}`;

/** The one timer of a message's reply; setting it again moves it. `attempt` is the attempt that it will begin. */
export const replyTimer = (messageId: number, attempt = 2, afterMs = againAfterMs): TimerRequest => ({
  id: replyTimerId(messageId),
  kind: replyKind,
  due: { afterMs },
  payload: { message_id: messageId, attempt },
});

/**
 * Keeps the timer away from a reply that has been under way for so long, in milliseconds: a second attempt would ask the
 * language model the same.
 */
export function holdReply(
  state: Message,
  { attempt, sinceMs }: { readonly attempt: number | undefined; readonly sinceMs: number },
): Decision<MessageEvent> {
  const isWanted = state?.direction === 'inbound' && state.notAnswered === null;
  const afterMs = Math.max(againAfterMs - sinceMs, heldForMs);
  return {
    events: [],
    timers: isWanted ? [replyTimer(state.received.message_id, attempt, afterMs)] : [],
    reply: '{}',
  };
}
