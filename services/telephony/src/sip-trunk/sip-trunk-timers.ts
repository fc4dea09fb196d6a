import { Aggregates, createClock } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import type { BackgroundParts } from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { createVoicePlatform } from '../voice/voice-platform.ts';
import { createPasswordStore } from './password-store.ts';
import { PlatformTrunks } from './platform-trunks.ts';
import { checkTrunk, lookAtCalls, trunkCallsKind, trunkCheckKind } from './trunk-check.ts';

/** Timer handlers of SIP trunks: the check of a change, and the look at calls. */
export const sipTrunkTimers = ({
  config,
  logger,
  sql,
  store,
}: BackgroundParts<TelephonyConfig>): Readonly<Record<string, TimerHandler>> => {
  const parts = {
    clock: createClock(sql),
    store,
    aggregates: new Aggregates(store),
    passwords: createPasswordStore(sql, config.SECRETS_KEYS, logger),
    platform: new PlatformTrunks(createVoicePlatform(config), config.SIP_OUTBOUND_PROXY),
  };
  return { [trunkCheckKind]: checkTrunk(parts), [trunkCallsKind]: lookAtCalls(parts) };
};
