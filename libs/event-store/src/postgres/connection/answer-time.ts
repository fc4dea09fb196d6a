import type { SqlExecutor } from '../../sql.ts';

/**
 * pg's own option, which its types know for whole connections only. With no answer for so long a connection counts as
 * lost, and the pool closes it: when it was lost without a word, TCP alone would notice after a quarter of an hour.
 */
export interface AnswerTime {
  readonly query_timeout: number;
}

/** For statements that an index answers: after this time the caller has given up anyway. */
export const lookUpTime: AnswerTime = { query_timeout: 10_000 };
/** For statements that read a large part of a table. */
export const scanTime: AnswerTime = { query_timeout: 60_000 };

/** `sql` with this limit on each statement: one without an answer by then rejects, and its connection is closed. */
export const answeredWithin = (sql: SqlExecutor, time: AnswerTime): SqlExecutor => ({
  query: (query) => sql.query({ ...query, ...time }),
});

/** `sql` for statements that an index answers (`lookUpTime`). */
export const forLookUps = (sql: SqlExecutor): SqlExecutor => answeredWithin(sql, lookUpTime);
