import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Message, StartedSend } from './message.ts';

/** Puts on record what was sent without us: there is nothing to hand over, to pay or to look after. */
export function recordSentByHand(
  state: Message,
  start: StartedSend,
  messageSid: string,
): Decision<MessageEvent, Pick<StartedSend, 'message_id'>> | Rejection {
  if (state) return reject('contended');
  const { message_id } = start;
  return {
    events: [
      { type: 'MessageSendStarted', data: start },
      { type: 'MessageSent', data: { message_id, message_sid: messageSid } },
    ],
    reply: { message_id },
  };
}
