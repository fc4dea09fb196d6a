import type { TimerRequest } from '@parley/event-store';

export const replyKind = 'ai-reply';

/** Milliseconds after which a reply is begun again, in case its process died or the language model did not answer. */
const againAfterMs = 30_000;

export const replyTimerId = (messageId: number): string => `${replyKind}-${messageId}`;

/** The one timer of a message's reply; setting it again moves it. `attempt` is the attempt that it will begin. */
export const replyTimer = (messageId: number, attempt = 2): TimerRequest => ({
  id: replyTimerId(messageId),
  kind: replyKind,
  due: { afterMs: againAfterMs },
  payload: { message_id: messageId, attempt },
});
