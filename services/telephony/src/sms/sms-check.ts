import { type Checked as CheckedSend, sendChecks } from '@parley/processing';
import { smsCategory } from './sms.ts';

/** An SMS, and what is known of it before anything else is. */
export type Checked = CheckedSend<typeof smsCategory>;

export const smsChecks = sendChecks(smsCategory);
export const { checkAfter, checkUnlessRenewed, requestClaim } = smsChecks;
