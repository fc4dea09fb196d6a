import type { MessageEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { dropped } from './message.ts';
import { type Checked, checkAfter, requestClaim } from './message-check.ts';

/**
 * Given up before it is on record: the request may be made again. The money is given back only once this is recorded:
 * before, the sending process could still record the intent, and send what nobody pays for.
 */
export const dropMessage = (checked: Checked): Decision<MessageEvent> => ({
  events: [dropped(checked)],
  claims: requestClaim('release', checked),
  timers: [checkAfter(0, checked)],
  reply: '{}',
});
