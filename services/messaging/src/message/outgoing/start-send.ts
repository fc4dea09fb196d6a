import { type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { dropped, type Message, type StartedSend } from '../message.ts';
import { checkUnlessRenewed } from './message-check.ts';

/** Whether the send is on record; false when the message had been dropped, so that it must not be handed over. */
export interface SendStart {
  readonly isStarted: boolean;
}

/**
 * Records the send before the platform is asked. A message that was dropped meanwhile, as its preparation took too long
 * and its hold is gone, is dropped once more: it may have taken a place of the messaging limit since.
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
