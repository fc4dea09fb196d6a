import { type Checked as CheckedSend, sendChecks } from '@parley/processing';
import { messageCategory } from '../message.ts';

/** A message as its check timer knows it: `message_id`, `hold_id`, `command_id`. */
export type Checked = CheckedSend<typeof messageCategory>;

export const messageChecks = sendChecks(messageCategory);
export const { checkAfter, checkUnlessRenewed, requestClaim } = messageChecks;
