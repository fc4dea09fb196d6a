import type { TimerRequest } from '@parley/event-store';

export const replyKind = 'ai-reply';

/** A reply begins at once; should its process die, or the language model not answer, it begins again after this. */
const againAfterMs = 30_000;

export const replyTimerId = (messageId: number): string => `${replyKind}-${messageId}`;

export const replyTimer = (messageId: number, attempt = 2): TimerRequest => ({
  id: replyTimerId(messageId),
  kind: replyKind,
  due: { afterMs: againAfterMs },
  payload: { message_id: messageId, attempt },
});
