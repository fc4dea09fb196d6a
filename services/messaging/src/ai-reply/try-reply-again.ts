import { appendAtTimer, type TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { messageCategory, messageStream } from '../message/message.ts';
import type { AiReplies } from './ai-replies.ts';
import type { Questions } from './questions.ts';
import { replyTimer } from './reply-timer.ts';

const maxAttempts = 10;

const payloadSchema = z.object({ message_id: z.int(), account_id: z.int(), attempt: z.int() });

/**
 * Timer handler: begins the reply again until its outcome is known. After ten attempts (five minutes), and where the
 * window for text has closed, it records that there is no reply.
 */
export const tryReplyAgain =
  (replies: AiReplies, questions: Questions): TimerHandler =>
  async (timer, { metadata }) => {
    const { message_id, account_id: accountId, attempt } = payloadSchema.parse(timer.payload);
    const stream = { streamId: messageStream(message_id), category: messageCategory, accountId, metadata };
    const toDo =
      attempt > maxAttempts
        ? ((await questions.whenGivenUp(message_id)) ?? 'nothing')
        : await questions.toDo(message_id);
    if (toDo === 'nothing') return undefined;
    if (toDo !== 'reply') return appendAtTimer({ ...stream, expectedVersion: toDo.version }, toDo);
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
