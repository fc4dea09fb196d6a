import type { AppendRequest, TimerRequest } from '@parley/event-store';
import type { DueTimer, TimerContext, TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { messageStream } from '../message/message.ts';
import type { AiReplies } from './ai-replies.ts';

export const replyKind = 'ai-reply';

/** A reply begins at once; should its process die, or the language model not answer, it begins again after this. */
const againAfterMs = 30_000;
const maxAttempts = 10;

const payloadSchema = z.object({ message_id: z.int(), account_id: z.int(), attempt: z.int() });

export const replyTimer = (messageId: number, attempt = 2): TimerRequest => ({
  id: `${replyKind}-${messageId}`,
  kind: replyKind,
  due: { afterMs: againAfterMs },
  payload: { message_id: messageId, attempt },
});

/** Begins the reply again until it is known what became of it; after five minutes nobody waits for it any more. */
export const tryReplyAgain =
  (replies: AiReplies): TimerHandler =>
  async (timer: DueTimer, { metadata }: TimerContext): Promise<AppendRequest | undefined> => {
    const { message_id, account_id: accountId, attempt } = payloadSchema.parse(timer.payload);
    if (attempt > maxAttempts || (await replies.isDone(message_id))) return undefined;
    replies.begin(message_id, accountId, metadata);
    const { payload, ...next } = replyTimer(message_id, attempt + 1);
    return {
      streamId: messageStream(message_id),
      category: 'message',
      accountId,
      expectedVersion: 'any',
      events: [],
      metadata,
      timers: [{ ...next, payload: { ...timer.payload, ...payload } }],
    };
  };
