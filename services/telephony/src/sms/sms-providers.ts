import type { Provider } from '@nestjs/common';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type EventStore,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Carrier } from '@parley/providers';
import {
  AccountBalance,
  BUS_CLIENT,
  CLOCK,
  CLOSING,
  CONFIG,
  EVENT_STORE,
  READ_POOL,
} from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { CARRIER } from '../payments/providers.ts';
import { SmsOutbox } from './outbox.ts';
import { SmsLog } from './sms-log.ts';
import { statusUrl } from './status-url.ts';

/** Providers for the controllers of SMS. */
export const smsProviders: readonly Provider[] = [
  {
    provide: SmsLog,
    inject: [Aggregates, EVENT_STORE],
    useFactory: (aggregates: Aggregates, store: EventStore) => new SmsLog(aggregates, store),
  },
  {
    provide: SmsOutbox,
    inject: [BUS_CLIENT, CLOCK, CLOSING, READ_POOL, CONFIG, CARRIER, SmsLog],
    useFactory: (
      bus: BusClient,
      clock: Clock,
      closing: AbortSignal,
      sql: SqlExecutor,
      config: TelephonyConfig,
      carrier: Carrier,
      log: SmsLog,
    ) =>
      new SmsOutbox({
        balance: new AccountBalance(bus, 'telephony'),
        carrier,
        clock,
        closing,
        ids: createIdAllocator(sql, 'sms_ids'),
        log,
        segmentPriceMicros: config.PRICE_SMS,
        sql,
        statusUrlOf: (reference) => statusUrl(config, reference),
      }),
  },
];
