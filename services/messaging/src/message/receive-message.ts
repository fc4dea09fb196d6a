import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision, TimerRequest } from '@parley/event-store';
import type { Message, ReceivedMessage } from './message.ts';

/** Puts what a contact wrote on record; `timers` ask for the assistant's reply. */
export function receiveMessage(
  state: Message,
  received: ReceivedMessage['received'],
  timers: readonly TimerRequest[],
): Decision<MessageEvent> | Rejection {
  if (state) return reject('contended');
  return { events: [{ type: 'MessageReceived', data: received }], timers, reply: '{}' };
}
