import type pg from 'pg';
import { PrimaryClient } from './primary-client.ts';
import { keptAlive, types, withSettings } from './session.ts';

/** After which an append is given up; milliseconds. */
export interface WriterTimeouts {
  /** Waiting for the append lock. */
  readonly lockMs: number;
  /** One statement, the wait for the lock included. */
  readonly statementMs: number;
  /** A projector that thinks while the lock is held. */
  readonly idleInTransactionMs: number;
  /** No answer at all: the connection counts as lost. More than the server allows itself. */
  readonly answerMs: number;
  /** Waiting in the queue, with or without a connection. */
  readonly turnMs: number;
}

export const defaultTimeouts: WriterTimeouts = {
  lockMs: 4_000,
  statementMs: 6_000,
  idleInTransactionMs: 6_000,
  answerMs: 7_000,
  turnMs: 5_000,
};

/** Batches are small beside what they are joined with. */
const settings = { synchronous_commit: 'on', enable_hashjoin: 'off', enable_mergejoin: 'off' };
const connectTimeoutMs = 2_000;

export const createWriterClient = (connectionString: string, timeouts: WriterTimeouts): pg.Client =>
  new PrimaryClient({
    connectionString: withSettings(connectionString, {
      ...settings,
      lock_timeout: timeouts.lockMs,
      statement_timeout: timeouts.statementMs,
      idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
    }),
    application_name: 'parley-writer',
    query_timeout: timeouts.answerMs,
    connectionTimeoutMillis: connectTimeoutMs,
    types,
    ...keptAlive,
  });
