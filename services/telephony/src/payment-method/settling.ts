import type { JsonObject, TimerRequest } from '@parley/event-store';

export const settlingKind = 'payment-method-settling';

/** Longer than any request to the payment provider takes: the process that made the change is done by then, or gone. */
const settleAfterMs = 20_000;

/** What is on file has just changed: the provider is to charge it, and to forget what was there before. */
export interface Settling {
  readonly accountId: number;
  /** What came on file; `null` when `replacedId` was only taken off, or did not come on file. */
  readonly methodId: string | null;
  readonly replacedId: string | null;
}

/** Of this change alone: the same card may come on file again while the one before is still to be forgotten. */
export const settlingTimerId = ({ accountId, methodId, replacedId }: Settling): string =>
  `${settlingKind}-${accountId}-${methodId ?? 'none'}-after-${replacedId ?? 'none'}`;

/** In case the process that changed it does not get that far. */
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

export function settlingOf({ account_id, method_id, replaced_id }: JsonObject): Settling {
  const methodId = typeof method_id === 'string' ? method_id : null;
  const replacedId = typeof replaced_id === 'string' ? replaced_id : null;
  if (typeof account_id !== 'number' || (methodId ?? replacedId) === null)
    throw new TypeError('A timer names no payment method.');
  return { accountId: account_id, methodId, replacedId };
}
