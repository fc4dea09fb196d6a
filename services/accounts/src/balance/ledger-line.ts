import type { BalanceEvent, Micros } from '@parley/contracts';

/** One change of the total as the API lists it; the amount is negative for what was taken. */
interface LedgerLine {
  readonly type: 'top_up' | 'adjustment' | 'charge' | 'refund';
  readonly amountMicros: Micros;
  readonly description: string;
  readonly reference: string | null;
}

/**
 * What an event does to an account's money. `line`: its change of the total, null for none. `reservedMicros`: how
 * much more (or, negative, less) is set aside.
 */
export interface Movement {
  readonly line: LedgerLine | null;
  readonly reservedMicros: Micros;
}

/** The sum of all lines is the total after the same events, and the sum of all `reservedMicros` is what is reserved. */
export function movementOf(event: BalanceEvent): Movement {
  switch (event.type) {
    case 'BalanceToppedUp':
      return {
        line: {
          type: 'top_up',
          amountMicros: event.data.amount_micros,
          description: event.data.description,
          reference: event.data.reference,
        },
        reservedMicros: 0,
      };
    case 'BalanceAdjusted':
      return {
        line: {
          type: 'adjustment',
          amountMicros: event.data.amount_micros,
          description: event.data.description,
          reference: null,
        },
        reservedMicros: 0,
      };
    case 'BalanceDebited':
      return {
        line: {
          type: 'adjustment',
          amountMicros: -event.data.amount_micros,
          description: event.data.description,
          reference: event.data.reference,
        },
        reservedMicros: 0,
      };
    case 'BalanceReserved':
      return { line: null, reservedMicros: event.data.amount_micros };
    case 'BalanceCaptured':
      return {
        line:
          event.data.amount_micros === 0
            ? null
            : {
                type: 'charge',
                amountMicros: -event.data.amount_micros,
                description: event.data.description,
                reference: event.data.reference,
              },
        reservedMicros: -event.data.amount_micros - event.data.released_micros,
      };
    case 'BalanceReleased':
      return { line: null, reservedMicros: -event.data.amount_micros };
    case 'BalanceRefunded':
      return {
        line: {
          type: 'refund',
          amountMicros: event.data.amount_micros,
          description: event.data.description,
          reference: event.data.reference,
        },
        reservedMicros: 0,
      };
    default:
      event satisfies never;
      return { line: null, reservedMicros: 0 };
  }
}
