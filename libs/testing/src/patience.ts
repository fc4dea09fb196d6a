import type { PostgresEventStoreOptions } from '@parley/event-store';

/** Of a store that gives no append up because a busy machine stands still for a while. */
export const patience = {
  lockMs: 60_000,
  statementMs: 60_000,
  idleInTransactionMs: 60_000,
  answerMs: 70_000,
  turnMs: 60_000,
} satisfies PostgresEventStoreOptions['timeouts'];
