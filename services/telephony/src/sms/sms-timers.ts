import { Aggregates } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { AccountBalance, type BackgroundParts } from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { checkSms } from './check-sms.ts';
import { smsChecks } from './sms-check.ts';
import { SmsLog } from './sms-log.ts';

/** Timer handlers of SMS: the check of a send whose process may have died. */
export function smsTimers({
  bus,
  store,
}: BackgroundParts<TelephonyConfig>): Readonly<Record<string, TimerHandler>> {
  const log = new SmsLog(new Aggregates(store), store);
  return { [smsChecks.kind]: checkSms({ balance: new AccountBalance(bus, 'telephony'), log }) };
}
