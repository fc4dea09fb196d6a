import { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { TimerHandler } from '@parley/processing';
import type { BackgroundParts } from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { createPayments } from '../payments/providers.ts';
import { PaymentMethods } from './payment-methods.ts';
import { settlingKind, settlingOf } from './settling.ts';

/**
 * Timer handler: tells the payment provider of a changed card what it was not told, as a process died or the provider
 * was away.
 */
export function paymentMethodTimers({
  config,
  store,
}: BackgroundParts<TelephonyConfig>): Readonly<Record<string, TimerHandler>> {
  const methods = new PaymentMethods(new Aggregates(store), createPayments(config));
  return {
    async [settlingKind]({ payload }) {
      const failure = await methods.settle(settlingOf(payload));
      if (failure) throw new ServiceUnavailable(failure.message);
      return undefined;
    },
  };
}
