import { Aggregates } from '@parley/event-store';
import { BoundedWork, type TimerHandler } from '@parley/processing';
import type { Background, BackgroundParts } from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { PaymentMethods } from '../payment-method/payment-methods.ts';
import { createCarrier, createPayments } from '../payments/providers.ts';
import { findBoughtNumbers } from '../views/number-queries.ts';
import { findInboundTrunks } from '../views/sip-trunk-queries.ts';
import { InboundLines } from '../voice/inbound-lines.ts';
import { createVoicePlatform } from '../voice/voice-platform.ts';
import { openLines } from './lines/open-lines.ts';
import { restrictLines } from './lines/restrict-lines.ts';
import { numberCategory, numberStream } from './number.ts';
import { NumberWork } from './purchase/number-work.ts';
import { ProviderSteps } from './purchase/provider-steps.ts';
import { numberWorkKind, numberWorkOf, workTimer } from './purchase/work-timer.ts';
import { workTimers } from './purchase/work-timers.ts';
import { checkRenewal, renewalCheckKind, watchRenewals } from './subscription/check-renewal.ts';
import { endGrace } from './subscription/end-grace.ts';
import { graceKind, graceTimers } from './subscription/grace-timer.ts';
import { payWhatIsOwed } from './subscription/pay-what-is-owed.ts';

/** Numbers that one process works on at once; the providers' own limits are higher. */
const maxAtOnce = 8;

/**
 * The reactors and timer handlers of numbers: take up unfinished purchases and releases, watch renewals, end grace
 * periods.
 */
export function numberBackground({
  closing,
  config,
  logger,
  sql,
  store,
}: BackgroundParts<TelephonyConfig>): Required<
  Pick<Background, 'provided' | 'reactors' | 'timers' | 'standingTimers' | 'close'>
> {
  const aggregates = new Aggregates(store);
  const payments = createPayments(config);
  const methods = new PaymentMethods(aggregates, payments);
  const lines = new InboundLines(createVoicePlatform(config), config.CARRIER_SIP_ALLOWED_IPS);
  const steps = new ProviderSteps(createCarrier(config), payments, methods, lines, config);
  const work = new NumberWork(aggregates, steps, logger, closing);
  const running = new BoundedWork(maxAtOnce, (error, key) =>
    logger.error({ err: error, number: key }, 'work on a number failed; it is taken up again'),
  );

  const restricted = restrictLines({
    ...{ aggregates, closing, config, lines, logger },
    numbers: () => findBoughtNumbers(sql),
  });

  const takeUp: TimerHandler = async ({ id, dueAt, payload }, { metadata }) => {
    const wanted = numberWorkOf(payload);
    const leased = await store.append({
      streamId: numberStream(wanted.number_id),
      category: numberCategory,
      accountId: wanted.account_id,
      events: [],
      expectedVersion: 'any',
      metadata,
      firesTimer: { id, dueAt },
      timers: [workTimer({ ...wanted, attempt: wanted.attempt + 1 })],
    });
    // Only the process that got the lease goes on, once the lease is on record.
    if (leased.kind === 'appended')
      running.add(String(wanted.number_id), () => work.drive(wanted, metadata, { isTakenUp: true }));
    return undefined;
  };

  return {
    provided: [{ provide: NumberWork, useValue: work }],
    reactors: [
      payWhatIsOwed({ aggregates, methods, payments, sql }),
      watchRenewals(aggregates),
      openLines({ aggregates, lines, inboundTrunks: (number) => findInboundTrunks(sql, number) }),
    ],
    timers: {
      [numberWorkKind]: takeUp,
      [graceKind]: endGrace({ aggregates, methods, payments }),
      [renewalCheckKind]: checkRenewal({ aggregates, payments }),
    },
    standingTimers: [graceTimers(aggregates), workTimers(aggregates)],
    close: () => Promise.all([running.close(), restricted]),
  };
}
