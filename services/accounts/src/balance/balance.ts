import type { BalanceEvent, Micros } from '@parley/contracts';
import type { Decision, Fold, SnapshotForm } from '@parley/event-store';
import { Map as PersistentMap } from 'immutable';
import { z } from 'zod';

/** Money set aside under a hold id that the caller chose. */
export interface Hold {
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

/**
 * An account's money. The total is the sum of all ledger lines; what is reserved is part of it, so that
 * `0 <= reservedMicros <= totalMicros`, unless an operator debited, or what was over already cost, more than was available. Settled holds are forgotten: the command log remembers their answers.
 */
export interface Balance {
  readonly totalMicros: Micros;
  readonly reservedMicros: Micros;
  /** Open holds by id. There may be thousands: a change shares with what was before whatever it leaves as it is. */
  readonly holds: PersistentMap<string, Hold>;
  /** Given back before they were made: a reservation that arrives late must not be one for ever. Newest last. */
  readonly barredHolds: readonly string[];
}

/** The answer to everything that moves money. */
export interface BalanceReply {
  readonly available_micros: Micros;
  readonly reserved_micros: Micros;
}

export type BalanceDecision = Decision<BalanceEvent, BalanceReply>;

/** Commands are late by seconds; so many never come too late at one account in that time. */
const maxBarredHolds = 1_000;

export const balanceStream = (accountId: number): string => `balance-${accountId}`;

export const availableMicros = ({ totalMicros, reservedMicros }: Balance): Micros =>
  totalMicros - reservedMicros;

const packed = z.object({
  total_micros: z.int(),
  reserved_micros: z.int(),
  holds: z.array(
    z.object({
      id: z.string(),
      amount_micros: z.int(),
      description: z.string(),
      reference: z.string().nullable(),
    }),
  ),
  barred_holds: z.array(z.string()),
});

const snapshots: SnapshotForm<Balance> = {
  name: 'balance-2',
  pack: ({ totalMicros, reservedMicros, holds, barredHolds }) => ({
    total_micros: totalMicros,
    reserved_micros: reservedMicros,
    holds: [...holds].map(([id, { amountMicros, ...about }]) => ({
      id,
      amount_micros: amountMicros,
      ...about,
    })),
    barred_holds: [...barredHolds],
  }),
  unpack(json) {
    const { total_micros, reserved_micros, holds, barred_holds } = packed.parse(json);
    return {
      totalMicros: total_micros,
      reservedMicros: reserved_micros,
      holds: PersistentMap(
        holds.map(({ id, amount_micros: amountMicros, ...about }) => [id, { amountMicros, ...about }]),
      ),
      barredHolds: barred_holds,
    };
  },
};

/** A ledger goes on for years: every message and every call is two of its events. */
export const balance: Fold<Balance, BalanceEvent> = {
  snapshots,
  initialState: { totalMicros: 0, reservedMicros: 0, holds: PersistentMap(), barredHolds: [] },
  evolve(state, event) {
    switch (event.type) {
      case 'BalanceToppedUp':
      case 'BalanceAdjusted':
      case 'BalanceRefunded':
        return { ...state, totalMicros: state.totalMicros + event.data.amount_micros };
      case 'BalanceDebited':
        return { ...state, totalMicros: state.totalMicros - event.data.amount_micros };
      case 'BalanceReserved': {
        const { hold_id, amount_micros: amountMicros, description, reference } = event.data;
        return {
          ...state,
          reservedMicros: state.reservedMicros + amountMicros,
          holds: state.holds.set(hold_id, { amountMicros, description, reference }),
        };
      }
      case 'BalanceCaptured': {
        const { hold_id, amount_micros, released_micros } = event.data;
        return {
          ...state,
          totalMicros: state.totalMicros - amount_micros,
          reservedMicros: state.reservedMicros - amount_micros - released_micros,
          holds: state.holds.delete(hold_id),
        };
      }
      case 'BalanceReleased': {
        const { hold_id, amount_micros, effect } = event.data;
        if (effect === 'barred')
          return { ...state, barredHolds: [...state.barredHolds, hold_id].slice(-maxBarredHolds) };
        return {
          ...state,
          reservedMicros: state.reservedMicros - amount_micros,
          holds: state.holds.delete(hold_id),
        };
      }
      default:
        return state;
    }
  },
};

/** The decision for `events`, answered with the balance they lead to. */
export function moved(state: Balance, events: readonly BalanceEvent[]): BalanceDecision {
  const after = events.reduce(balance.evolve, state);
  return {
    events,
    reply: { available_micros: availableMicros(after), reserved_micros: after.reservedMicros },
  };
}
