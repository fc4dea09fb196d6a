import { appendAtTimer, type TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { messageCategory, messageStream } from '../message/message.ts';
import type { AiReplies } from './ai-replies.ts';
import type { Questions } from './questions.ts';
import { replyTimer } from './reply-timer.ts';

const maxAttempts = 10;

const payloadSchema = z.object({ message_id: z.int(), account_id: z.int(), attempt: z.int() });

/**
 * Timer handler: begins the reply again until its outcome is known; after ten attempts (five minutes) it records that
 * there is no reply.
 */
export const tryReplyAgain =
  (replies: AiReplies, questions: Questions): TimerHandler =>
  async (timer, { metadata }) => {
    const { message_id, account_id: accountId, attempt } = payloadSchema.parse(timer.payload);
    const stream = { streamId: messageStream(message_id), category: messageCategory, accountId, metadata };
    if (attempt > maxAttempts) {
      const decision = await questions.whenGivenUp(message_id);
      return decision ? appendAtTimer({ ...stream, expectedVersion: decision.version }, decision) : undefined;
    }
    if (await questions.isDone(message_id)) return undefined;
    const { payload, ...next } = replyTimer(message_id, attempt + 1);
    return {
      ...stream,
      expectedVersion: 'any',
      events: [],
      timers: [{ ...next, payload: { ...timer.payload, ...payload } }],
      // After the append: a refused reply cancels its timer, which has to exist by then.
      afterwards: () => replies.begin(message_id, accountId, metadata, attempt + 1),
    };
  };
