import { type Checked as CheckedSend, sendChecks } from '@parley/processing';
import { messageCategory } from './message.ts';

/** A message, and what is known of it before anything else is. */
export type Checked = CheckedSend<typeof messageCategory>;

export const messageChecks = sendChecks(messageCategory);
export const { checkAfter, checkUnlessRenewed, requestClaim } = messageChecks;
