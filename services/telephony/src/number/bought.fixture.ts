import type { NumberEvent } from '@parley/contracts';
import { golden } from '@parley/testing';

/** The golden events of a number that an account has bought. */
export const boughtNames = [
  'NumberPurchaseRequested.v1',
  'NumberPriced.v1',
  'NumberSubscribed.v1',
  'NumberProvisioned.v1',
  'NumberPurchased.v1',
] as const;

export const bought = golden<NumberEvent>(...boughtNames);
