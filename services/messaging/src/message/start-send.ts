import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Message, StartedSend } from './message.ts';
import { checkUnlessRenewed } from './message-check.ts';

/**
 * The intent, on record before the platform is asked. Refused when the message was dropped meanwhile: whoever prepared
 * it took too long, and its reservation is gone.
 */
export function startSend(state: Message, start: StartedSend): Decision<MessageEvent> | Rejection {
  if (state) return reject('contended');
  return {
    events: [{ type: 'MessageSendStarted', data: start }],
    timers: [checkUnlessRenewed(start)],
    reply: '{}',
  };
}
