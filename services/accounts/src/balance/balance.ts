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
 * An account's money. The total is the sum of all ledger lines and includes what is reserved: `0 <= reservedMicros
 * <= totalMicros`, except where an operator debited more than was available, or work that was already done cost
 * more. Settled holds are not kept here: the command log remembers their answers.
 */
export interface Balance {
  readonly totalMicros: Micros;
  readonly reservedMicros: Micros;
  /**
   * Open holds by id. There may be thousands, so the map is persistent: a change shares all other entries with the
   * state before it.
   */
  readonly holds: PersistentMap<string, Hold>;
  /**
   * Ids of holds that were released before their reservation arrived, the newest last: a late reservation is
   * refused, for nobody would ever settle it.
   */
  readonly barredHolds: readonly string[];
}

/** Answer of every command that moves money: the balance after it, in micros. */
export interface BalanceReply {
  readonly available_micros: Micros;
  readonly reserved_micros: Micros;
}

export type BalanceDecision = Decision<BalanceEvent, BalanceReply>;

/**
 * How many barred ids one account keeps. Commands overtake each other by seconds, in which far fewer holds are
 * barred.
 */
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

/**
 * The fold of an account's balance stream. It never ends (every message and every call adds two events), so it is
 * folded on from snapshots.
 */
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

/** The decision to append `events`, answered with the balance after them. */
export function moved(state: Balance, events: readonly BalanceEvent[]): BalanceDecision {
  const after = events.reduce(balance.evolve, state);
  return {
    events,
    reply: { available_micros: availableMicros(after), reserved_micros: after.reservedMicros },
  };
}
