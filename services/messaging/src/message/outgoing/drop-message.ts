import type { MessageEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { dropped } from '../message.ts';
import { type Checked, checkAfter, requestClaim } from './message-check.ts';

/**
 * Gives a message up before its send is on record; the request may be made again. Its money is given back only after
 * this is recorded: before, its process might still record the send and hand it over unpaid.
 */
export const dropMessage = (checked: Checked): Decision<MessageEvent> => ({
  events: [dropped(checked)],
  claims: requestClaim('release', checked),
  timers: [checkAfter(0, checked)],
  reply: '{}',
});
