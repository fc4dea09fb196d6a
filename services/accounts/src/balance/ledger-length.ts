import type { BalanceEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { movementOf } from './ledger-line.ts';

/**
 * Number of lines in an account's ledger, folded from the balance stream: tells the length at a past moment
 * (`as_of`), which no view holds.
 */
export const ledgerLength: Fold<number, BalanceEvent> = {
  initialState: 0,
  snapshots: {
    name: 'ledger-length-2',
    pack: (lines) => ({ lines }),
    unpack: ({ lines }) => Number(lines),
  },
  evolve: (lines, event) => (movementOf(event).line ? lines + 1 : lines),
};
