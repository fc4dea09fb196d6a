import { isUnspoken, type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { replyTimer } from '../../ai-reply/reply-timer.ts';
import type { Message, ReceivedMessage } from '../message.ts';
import { notAnswered } from './not-answered.ts';

type Received = ReceivedMessage['received'];

/** Records a contact's message. With AI replies on: sets the timer of the reply, or records why there is none. */
export function receiveMessage(
  state: Message,
  received: Received,
  isAiOn: boolean,
): Decision<MessageEvent> | Rejection {
  if (state) return reject('contended');
  const isMissed = isAiOn && received.text === null && !isUnspoken(received.kind);
  return {
    events: [
      { type: 'MessageReceived', data: received },
      ...(isMissed ? [notAnswered(received, 'no_text')] : []),
    ],
    timers: isAiOn && isAnswerable(received) ? [replyTimer(received.message_id)] : [],
    reply: '{}',
  };
}

/** Whether a language model can answer it: it has words, and is one that expects an answer. */
export const isAnswerable = ({ kind, text }: Pick<Received, 'kind' | 'text'>): boolean =>
  text !== null && !isUnspoken(kind);
