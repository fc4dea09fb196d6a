import type { JsonObject, TimerRequest } from '@parley/event-store';

export const settlingKind = 'payment-method-settling';

/**
 * Milliseconds, longer than any request to the payment provider: by then the process that made the change is done, or
 * dead.
 */
const settleAfterMs = 20_000;

/**
 * A change of the card on file, of which the provider is to be told: charge the present card, and forget the replaced
 * one.
 */
export interface Settling {
  readonly accountId: number;
  /** The card that came on file; `null` when `replacedId` was only removed, or did not come on file. */
  readonly methodId: string | null;
  readonly replacedId: string | null;
}

/**
 * Id of this very change's timer: the same card may come on file again while the one before is still to be forgotten.
 */
export const settlingTimerId = ({ accountId, methodId, replacedId }: Settling): string =>
  `${settlingKind}-${accountId}-${methodId ?? 'none'}-after-${replacedId ?? 'none'}`;

/** Timer in case the process that made the change dies before it has told the provider. */
export const settlingTimer = (settling: Settling): TimerRequest => ({
  id: settlingTimerId(settling),
  kind: settlingKind,
  due: { afterMs: settleAfterMs },
  payload: {
    account_id: settling.accountId,
    method_id: settling.methodId,
    replaced_id: settling.replacedId,
  },
});

/** Reads a timer's payload; throws when it names no card. */
export function settlingOf({ account_id, method_id, replaced_id }: JsonObject): Settling {
  const methodId = typeof method_id === 'string' ? method_id : null;
  const replacedId = typeof replaced_id === 'string' ? replaced_id : null;
  if (typeof account_id !== 'number' || (methodId ?? replacedId) === null)
    throw new TypeError('A timer names no payment method.');
  return { accountId: account_id, methodId, replacedId };
}
