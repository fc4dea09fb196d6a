import { Aggregates, createClock } from '@parley/event-store';
import { AccountBalance, type Background, type BackgroundParts } from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { createVoicePlatform } from '../voice/voice-platform.ts';
import { CallLog } from './call-log.ts';
import { chargeCalls } from './charge/charge-calls.ts';
import { chargeImported, importedChargeKind, importedCharges } from './charge/imported-charges.ts';
import { callTimerKind, recordingTimerKind } from './timers/call-timer.ts';
import { addRecording, closeRooms, lookAtCall } from './timers/call-timers.ts';
import { openCallTimers } from './timers/open-call-timers.ts';

/** The reactors and timer handlers of calls. */
export function callBackground({
  bus,
  config,
  sql,
  store,
}: BackgroundParts<TelephonyConfig>): Pick<Required<Background>, 'reactors' | 'timers' | 'standingTimers'> {
  const aggregates = new Aggregates(store);
  const log = new CallLog(aggregates);
  const balance = new AccountBalance(bus, 'telephony');
  const platform = createVoicePlatform(config);
  return {
    reactors: [chargeCalls({ balance, log }), closeRooms({ log, platform })],
    timers: {
      [callTimerKind]: lookAtCall({ balance, clock: createClock(sql), log, platform }),
      [recordingTimerKind]: addRecording(log),
      [importedChargeKind]: chargeImported({ balance, log }),
    },
    standingTimers: [openCallTimers(aggregates), importedCharges(log)],
  };
}
