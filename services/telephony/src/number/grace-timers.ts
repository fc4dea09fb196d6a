import { NumberPurchased } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { graceTimer } from './grace-timer.ts';
import { phoneNumber } from './number.ts';

/** Each number whose renewal is owed has the end of its grace period. */
export const graceTimers = (aggregates: Aggregates): StandingTimers => ({
  types: [NumberPurchased.type],
  async of({ accountId, metadata: { correlationId }, streamId }) {
    const { state } = await aggregates.load(streamId, phoneNumber);
    if (state?.phase !== 'owned' || !state.unpaid || accountId === null) return [];
    const about = { number_id: state.id, account_id: accountId, correlation_id: correlationId };
    return [graceTimer(about, state.unpaid.graceEndsAt)];
  },
});
