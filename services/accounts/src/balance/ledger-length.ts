import type { BalanceEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import { movementOf } from './ledger-line.ts';

/** How many lines the ledger has, folded from an account's events alone: for moments that no view remembers. */
export const ledgerLength: Fold<number, BalanceEvent> = {
  initialState: 0,
  snapshots: {
    name: 'ledger-length-2',
    pack: (lines) => ({ lines }),
    unpack: ({ lines }) => Number(lines),
  },
  evolve: (lines, event) => (movementOf(event).line ? lines + 1 : lines),
};
