import type { SqlExecutor } from '../sql.ts';

/**
 * pg's own option, which its types know for whole connections only. With no answer for so long a connection counts as
 * lost, and the pool closes it: when it was lost without a word, TCP alone would notice after a quarter of an hour.
 */
export interface AnswerTime {
  readonly query_timeout: number;
}

/** For what is found by an index: who asked has given up by then. */
export const lookUpTime: AnswerTime = { query_timeout: 10_000 };
/** For what much has to be looked through for. */
export const scanTime: AnswerTime = { query_timeout: 60_000 };

/** The pool, or a connection, where each statement is answered within such a time, or rejects. */
export const answeredWithin = (sql: SqlExecutor, time: AnswerTime): SqlExecutor => ({
  query: (query) => sql.query({ ...query, ...time }),
});

/** For look-ups only. */
export const forLookUps = (sql: SqlExecutor): SqlExecutor => answeredWithin(sql, lookUpTime);
