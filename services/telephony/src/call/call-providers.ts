import type { Provider } from '@nestjs/common';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type EventStore,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import { pause } from '@parley/processing';
import type { VoicePlatform } from '@parley/providers';
import {
  AccountBalance,
  BUS_CLIENT,
  CLOCK,
  CLOSING,
  CONFIG,
  EVENT_STORE,
  LOGGER,
  READ_POOL,
} from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { CarrierLine } from '../voice/carrier-line.ts';
import { CarrierTurns } from '../voice/carrier-turns.ts';
import { VOICE_PLATFORM } from '../voice/voice-platform.ts';
import { CallLog } from './call-log.ts';
import { VoiceEvents } from './callback/voice-events.ts';
import { Calls } from './calls.ts';
import { CallLookups } from './other-services.ts';

/** Providers for the controllers of calls. */
export const callProviders: readonly Provider[] = [
  {
    provide: CallLookups,
    inject: [BUS_CLIENT],
    useFactory: (bus: BusClient) => new CallLookups(bus),
  },
  {
    provide: CarrierTurns,
    inject: [READ_POOL, CONFIG],
    useFactory: (sql: SqlExecutor, config: TelephonyConfig) => new CarrierTurns(sql, config),
  },
  {
    provide: Calls,
    inject: [
      ...[Aggregates, BUS_CLIENT, CallLookups, CarrierTurns, CLOCK, CLOSING],
      ...[READ_POOL, CONFIG, LOGGER, VOICE_PLATFORM],
    ],
    useFactory: (
      aggregates: Aggregates,
      bus: BusClient,
      lookups: CallLookups,
      carrierTurns: CarrierTurns,
      clock: Clock,
      closing: AbortSignal,
      sql: SqlExecutor,
      config: TelephonyConfig,
      logger: Logger,
      platform: VoicePlatform,
    ) =>
      new Calls({
        aggregates,
        balance: new AccountBalance(bus, 'telephony'),
        carrierLine: new CarrierLine(platform, config),
        carrierTurns,
        chatAddress: config.CHAT_SIP_ADDRESS,
        clock,
        closing,
        ids: createIdAllocator(sql, 'call_ids'),
        log: new CallLog(aggregates),
        logger,
        lookups,
        minutePriceMicros: config.PRICE_CALL_MINUTE,
        pause,
        platform,
      }),
  },
  {
    provide: VoiceEvents,
    inject: [
      ...[Aggregates, BUS_CLIENT, CallLookups, CLOCK],
      ...[EVENT_STORE, READ_POOL, CONFIG, VOICE_PLATFORM],
    ],
    useFactory: (
      aggregates: Aggregates,
      bus: BusClient,
      lookups: CallLookups,
      clock: Clock,
      store: EventStore,
      sql: SqlExecutor,
      config: TelephonyConfig,
      platform: VoicePlatform,
    ) =>
      new VoiceEvents({
        balance: new AccountBalance(bus, 'telephony'),
        clock,
        ids: createIdAllocator(sql, 'call_ids'),
        log: new CallLog(aggregates),
        lookups,
        minutePriceMicros: config.PRICE_CALL_MINUTE,
        platform,
        sql,
        store,
      }),
  },
];
