import type { Aggregates } from '@parley/event-store';
import { ServiceUnavailable } from '@parley/message-bus';
import type { TimerHandler } from '@parley/processing';
import type { Payments } from '@parley/providers';
import { askAgain } from '../payments/ask-again.ts';
import { graceOf, graceTimer } from './grace-timer.ts';
import { numberCategory, numberStream, type OneNumber, phoneNumber } from './number.ts';
import { requestRelease } from './release.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly payments: Pick<Payments, 'findSubscription'>;
}

/** What the payment provider could not tell is told again within days. */
const untilToldMs = 60 * 60_000;

/** Takes a number back that is not paid; one whose payment has not been told yet is kept. */
export const endGrace =
  ({ aggregates, payments }: Parts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const grace = graceOf(payload);
    const { number_id: id, account_id: accountId } = grace;
    const streamId = numberStream(id);
    const { state, version } = await aggregates.load(streamId, phoneNumber);
    if (state?.phase !== 'owned' || !state.unpaid) return undefined;
    const about = { streamId, category: numberCategory, accountId, expectedVersion: version, metadata };
    if (await isPaid(payments, state)) {
      const later = { ...graceTimer(grace, state.unpaid.graceEndsAt), due: { afterMs: untilToldMs } };
      return { ...about, events: [], timers: [later] };
    }
    const { correlationId } = metadata;
    const decision = requestRelease(state, 'unpaid', { accountId, correlationId });
    if ('code' in decision) return undefined;
    const { events, timers = [] } = decision;
    return { ...about, events, timers };
  };

async function isPaid(payments: Parts['payments'], { customerId, purchaseId }: OneNumber): Promise<boolean> {
  if (customerId === null) return false;
  const found = await askAgain(() => payments.findSubscription(customerId, ['purchase_id', purchaseId]));
  if (found.kind === 'unavailable' || found.kind === 'unknown') throw new ServiceUnavailable(found.message);
  return found.kind === 'ok' && found.value?.isPaid === true;
}
