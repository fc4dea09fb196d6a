import { NumberPurchased, NumberRenewed } from '@parley/contracts';
import type { Aggregates, TimerRequest } from '@parley/event-store';
import { defineReactor, type Reactor, type TimerHandler } from '@parley/processing';
import type { Payments } from '@parley/providers';
import { z } from 'zod';
import { numberCategory, phoneNumber } from '../number.ts';
import { requestRelease } from '../release.ts';
import { renewalFailed, renewed } from './apply-payment-news.ts';
import { subscriptionOf } from './find-subscription.ts';

export const renewalCheckKind = 'number-renewal-check';

const dayMs = 24 * 60 * 60_000;
/**
 * Milliseconds after the end of a paid month within which the payment provider tells of the next: its attempts begin
 * within hours and last three days.
 */
const toldWithinMs = 4 * dayMs;

const payloadSchema = z.object({ stream_id: z.string(), account_id: z.int(), correlation_id: z.string() });
type CheckPayload = z.output<typeof payloadSchema>;

/** The one timer of a number's next renewal, at `at` (milliseconds since 1970); setting it again moves it. */
export const renewalCheck = (payload: CheckPayload, at: number): TimerRequest => ({
  id: `${renewalCheckKind}-${payload.stream_id}`,
  kind: renewalCheckKind,
  due: { at: new Date(at).toISOString() },
  payload,
});

/** When the outcome of the next month must be on record, in milliseconds since 1970. */
const knownBy = (paidUntil: string): number => Date.parse(paidUntil) + toldWithinMs;

/**
 * Reactor: sets the renewal check of each number that an account owns, imported ones and those from before checks
 * included.
 */
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
 * Timer handler: asks the payment provider about a month of which it has told nothing, as when it could not reach us: a
 * number whose subscription has ended or stays unpaid would be free for ever. While the provider is undecided, it is
 * asked again a day later; a month that is owed has its own timer.
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
    // Due from now, as until now nobody could know that a card was needed.
    const failure = owed && renewalFailed(state, { ...owed, dueAt: new Date(now).toISOString() }, owner);
    if (failure && failure.events.length > 0)
      return { ...about, events: failure.events, timers: failure.timers ?? [] };
    const settled = found?.isPaid ? found.latestSettled : null;
    if (settled && Date.parse(settled.paidUntil) > Date.parse(state.paidUntil))
      return { ...about, events: renewed(state, settled).events };
    const at = isKnown ? knownBy(state.paidUntil) : now + dayMs;
    return { ...about, events: [], timers: [renewalCheck(check, at)] };
  };
