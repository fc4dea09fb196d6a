import { type Rejection, reject, type SenderEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { syncTimerIds } from '../sync/sync-timers.ts';
import { numberScope, type Sender, senderStream } from './sender.ts';

/**
 * Takes a sender off: nothing is sent from it or taken in for it any more, and its number is free to be connected again,
 * by any account, as another sender.
 */
export function disconnectSender(
  state: Sender,
): Decision<SenderEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  const { id, phoneNumberId } = state;
  return {
    events: [{ type: 'SenderDisconnected', data: {} }],
    claims: [{ op: 'release', scope: numberScope, key: phoneNumberId, owner: senderStream(id) }],
    cancelTimers: syncTimerIds(id),
    reply: { message: 'Sender disconnected successfully' },
  };
}
