import { NumberPurchased, NumberRenewed } from '@parley/contracts';
import type { Aggregates, TimerRequest } from '@parley/event-store';
import { defineReactor, type Reactor, type TimerHandler } from '@parley/processing';
import type { Payments } from '@parley/providers';
import { z } from 'zod';
import { renewalFailed, renewed } from './apply-payment-news.ts';
import { subscriptionOf } from './find-subscription.ts';
import { numberCategory, phoneNumber } from './number.ts';
import { requestRelease } from './release.ts';

export const renewalCheckKind = 'number-renewal-check';

const dayMs = 24 * 60 * 60_000;
/** The payment provider tells what became of a month for three days, beginning within hours of its end. */
const toldWithinMs = 4 * dayMs;

const payloadSchema = z.object({ stream_id: z.string(), account_id: z.int(), correlation_id: z.string() });
type CheckPayload = z.output<typeof payloadSchema>;

export const renewalCheck = (payload: CheckPayload, at: number): TimerRequest => ({
  id: `${renewalCheckKind}-${payload.stream_id}`,
  kind: renewalCheckKind,
  due: { at: new Date(at).toISOString() },
  payload,
});

/** By when what became of the next month is on record. */
const knownBy = (paidUntil: string): number => Date.parse(paidUntil) + toldWithinMs;

/** Each number that an account has, also from before there were checks or from an import, has one for its next month. */
export const watchRenewals = (aggregates: Aggregates): Reactor =>
  defineReactor({
    name: 'renewal-checks',
    handles: [NumberPurchased.type, NumberRenewed.type],
    actsOnImported: true,
    async react({ streamId, accountId }, { metadata }) {
      const { state } = await aggregates.load(streamId, phoneNumber);
      if (state?.phase !== 'owned' || state.paidUntil === null || accountId === null) return undefined;
      const check = { stream_id: streamId, account_id: accountId, correlation_id: metadata.correlationId };
      const timers = [renewalCheck(check, knownBy(state.paidUntil))];
      const about = { streamId, category: numberCategory, accountId, metadata };
      return { ...about, events: [], expectedVersion: 'any', timers };
    },
  });

interface Parts {
  readonly aggregates: Aggregates;
  readonly payments: Pick<Payments, 'findSubscription'>;
}

/**
 * Asks the payment provider about a month of which it has told nothing, as where we could not be reached for as long as it
 * tries: a number whose subscription has ended, or stays unpaid, would be had for nothing for ever. What it is still
 * undecided about is asked again a day later; what is owed has its own timer.
 */
export const checkRenewal =
  ({ aggregates, payments }: Parts): TimerHandler =>
  async ({ payload }, { metadata, store }) => {
    const check = payloadSchema.parse(payload);
    const { stream_id: streamId, account_id: accountId } = check;
    const { state, version } = await aggregates.load(streamId, phoneNumber);
    if (state?.phase !== 'owned' || state.unpaid || state.paidUntil === null) return undefined;
    const about = { streamId, category: numberCategory, accountId, expectedVersion: version, metadata };
    const now = (await store.now()).getTime();
    const isKnown = now < knownBy(state.paidUntil);
    const found = isKnown ? null : await subscriptionOf(payments, state);
    const owner = { accountId, correlationId: metadata.correlationId };
    if (found?.isEnded) {
      const decision = requestRelease(state, 'subscription_ended', owner);
      return 'code' in decision ? undefined : { ...about, ...decision };
    }
    const owed = found?.isPaid === false ? found.latestOwed : null;
    // However long ago it was due: until now nobody could know that a card was wanted.
    const failure = owed && renewalFailed(state, { ...owed, dueAt: new Date(now).toISOString() }, owner);
    if (failure && failure.events.length > 0)
      return { ...about, events: failure.events, timers: failure.timers ?? [] };
    const settled = found?.isPaid ? found.latestSettled : null;
    if (settled && Date.parse(settled.paidUntil) > Date.parse(state.paidUntil))
      return { ...about, events: renewed(state, settled).events };
    const at = isKnown ? knownBy(state.paidUntil) : now + dayMs;
    return { ...about, events: [], timers: [renewalCheck(check, at)] };
  };
