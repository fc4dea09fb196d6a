import { NumberPurchaseRequested, NumberReleased } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { phoneNumber } from '../number.ts';
import { nextStep } from './next-step.ts';
import { workTimer } from './work-timer.ts';

/**
 * A timer for each number with steps left to take: a half bought or half returned number costs money every month and is
 * in no list.
 */
export const workTimers = (aggregates: Aggregates): StandingTimers => ({
  types: [NumberPurchaseRequested.type],
  endedBy: [NumberReleased.type],
  async of({ accountId, metadata: { correlationId }, streamId }) {
    const { state } = await aggregates.load(streamId, phoneNumber);
    if (!state || !nextStep(state) || accountId === null) return [];
    const work = { number_id: state.id, account_id: accountId, correlation_id: correlationId, attempt: 0 };
    return [workTimer(work, 'now')];
  },
});
