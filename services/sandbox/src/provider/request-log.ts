import { createBatchLoader } from '@parley/batching';
import type pg from 'pg';
import type { Fault } from './fault.ts';
import type { ProviderName } from './names.ts';

interface Arrival {
  readonly provider: ProviderName;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: unknown;
  readonly at: Date;
}

interface Answered {
  readonly id: string;
  /** Null when the caller never got an answer. */
  readonly status: number | null;
  readonly fault: Fault | null;
}

/** Records every request to a provider, in order; those of one event-loop tick in one statement. */
export interface RequestLog {
  /** Records a request before it is handled; returns its id, and whether any fault is waiting at all. */
  arrived(request: Arrival): Promise<{ readonly id: string; readonly mayFail: boolean }>;
  /** Records the answer before it is sent. */
  answered(answer: Answered): Promise<void>;
}

export function createRequestLog(pool: pg.Pool): RequestLog {
  const arrived = createBatchLoader((requests: readonly Arrival[]) => recordArrivals(pool, requests));
  const answered = createBatchLoader((answers: readonly Answered[]) => recordAnswers(pool, answers));
  return { arrived, answered };
}

async function recordArrivals(pool: pg.Pool, requests: readonly Arrival[]) {
  const { rows } = await pool.query<{ id: string; may_fail: boolean }>({
    name: 'record-arrivals',
    text: `insert into sandbox.requests (provider, operation, method, path, idempotency_key, body, at)
      select provider, operation, method, path, idempotency_key, body, at
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
        with ordinality as arrival (provider, operation, method, path, idempotency_key, body, at, ordinality)
      order by ordinality
      returning id, exists (select from sandbox.faults where remaining > 0) as may_fail`,
    values: [
      requests.map(({ provider }) => provider),
      requests.map(({ operation }) => operation),
      requests.map(({ method }) => method),
      requests.map(({ path }) => path),
      requests.map(({ idempotencyKey }) => idempotencyKey),
      requests.map(({ body }) => (body === undefined ? null : JSON.stringify(body))),
      requests.map(({ at }) => at),
    ],
  });
  return rows.map(({ id, may_fail }) => ({ id, mayFail: may_fail }));
}

async function recordAnswers(pool: pg.Pool, answers: readonly Answered[]): Promise<readonly undefined[]> {
  await pool.query({
    name: 'record-answers',
    text: `update sandbox.requests set answer_status = answer.status, fault = answer.fault
      from unnest($1::bigint[], $2::integer[], $3::text[]) as answer (id, status, fault)
      where requests.id = answer.id`,
    values: [
      answers.map(({ id }) => id),
      answers.map(({ status }) => status),
      answers.map(({ fault }) => fault?.mode ?? null),
    ],
  });
  return answers.map(() => undefined);
}

interface RequestRow {
  readonly id: string;
  readonly body: string | null;
  readonly at: Date;
}

/** The recorded requests in order, after the id `after`, the last one that the caller has seen. */
export async function listRequests(
  pool: pg.Pool,
  provider: ProviderName | null,
  after: number,
): Promise<readonly unknown[]> {
  const { rows } = await pool.query<RequestRow>(
    `select id, provider, operation, method, path, idempotency_key, body, at, answer_status as status, fault
     from sandbox.requests where ($1::text is null or provider = $1) and id > $2 order by id`,
    [provider, after],
  );
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    body: row.body === null ? null : JSON.parse(row.body),
    at: row.at.toISOString(),
  }));
}
