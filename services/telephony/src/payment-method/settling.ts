import type { JsonObject, TimerRequest } from '@parley/event-store';

export const settlingKind = 'payment-method-settling';

/** Later than any request to the payment provider takes: whoever was at it is done, or gone. */
const settleAfterMs = 15_000;

/** A card that has just come on file: the provider is to charge it, and to forget the one before. */
export interface Settling {
  readonly accountId: number;
  readonly methodId: string;
  readonly replacedId: string | null;
}

export const settlingTimerId = ({ accountId, methodId }: Settling): string =>
  `${settlingKind}-${accountId}-${methodId}`;

/** For the case that whoever put it on file does not come so far. */
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
  if (typeof account_id !== 'number' || typeof method_id !== 'string')
    throw new TypeError('A timer names no payment method.');
  const replacedId = typeof replaced_id === 'string' ? replaced_id : null;
  return { accountId: account_id, methodId: method_id, replacedId };
}
