import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { dropped, type Message, type StartedSend } from './message.ts';
import { checkUnlessRenewed } from './message-check.ts';

export interface SendStart {
  readonly isStarted: boolean;
}

/**
 * The intent, on record before the platform is asked. When the message was dropped meanwhile, whoever prepared it took too
 * long, and its reservation is gone: it is dropped once more, since it may have taken a place of the messaging limit after
 * the first time.
 */
export function startSend(state: Message, start: StartedSend): Decision<MessageEvent, SendStart> | Rejection {
  if (state?.direction === 'dropped') return { events: [dropped(start)], reply: { isStarted: false } };
  if (state) return reject('contended');
  return {
    events: [{ type: 'MessageSendStarted', data: start }],
    timers: [checkUnlessRenewed(start)],
    reply: { isStarted: true },
  };
}
