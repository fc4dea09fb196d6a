import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { replyTimer } from '../ai-reply/reply-timer.ts';
import type { Message, ReceivedMessage } from './message.ts';
import { notAnswered } from './not-answered.ts';

type Received = ReceivedMessage['received'];

/** A smile at a message, or that it was deleted: nobody waits for an answer. */
export const unspoken: readonly string[] = ['reaction', 'revoke'];

/** Puts what a contact wrote on record: where the assistant answers, with the timer of its reply, or why there is none. */
export function receiveMessage(
  state: Message,
  received: Received,
  isAiOn: boolean,
): Decision<MessageEvent> | Rejection {
  if (state) return reject('contended');
  const isMissed = isAiOn && received.text === null && isSaid(received);
  return {
    events: [
      { type: 'MessageReceived', data: received },
      ...(isMissed ? [notAnswered(received, 'no_text')] : []),
    ],
    timers: isAiOn && isAnswerable(received) ? [replyTimer(received.message_id)] : [],
    reply: '{}',
  };
}

const isSaid = ({ kind }: Pick<Received, 'kind'>): boolean => !unspoken.includes(kind);

/** A language model is told words. */
export const isAnswerable = (received: Pick<Received, 'kind' | 'text'>): boolean =>
  received.text !== null && isSaid(received);
