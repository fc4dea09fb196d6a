import { type Checked as CheckedSend, sendChecks } from '@parley/processing';
import { smsCategory } from './sms.ts';

/** An SMS as its check timer knows it: `sms_id`, `hold_id`, `command_id`. */
export type Checked = CheckedSend<typeof smsCategory>;

export const smsChecks = sendChecks(smsCategory);
export const { checkAfter, checkUnlessRenewed, requestClaim } = smsChecks;
