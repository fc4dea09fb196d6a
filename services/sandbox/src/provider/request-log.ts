import type pg from 'pg';
import type { Fault, FaultMode } from './fault.ts';
import type { ProviderName } from './names.ts';

export interface LoggedRequest {
  readonly provider: ProviderName;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: unknown;
  readonly at: Date;
}

interface Arrival {
  readonly id: string;
  readonly mode: FaultMode | null;
  readonly takes_effect: boolean | null;
}

/**
 * Records a request before anything comes of it and takes the fault that hits it, if one is due: one statement, so
 * that `times` is exact however many calls arrive at once. An order for the operation goes before one for all.
 */
export async function recordArrival(
  pool: pg.Pool,
  request: LoggedRequest,
  mayFail: boolean,
): Promise<{ readonly id: string; readonly fault: Fault | null }> {
  const { rows } = await pool.query<Arrival>({
    name: 'record-arrival',
    text: `with due as (
        select provider, operation from sandbox.faults
        where $8 and provider = $1 and operation in ($2, '*') and remaining > 0
        order by operation = '*' limit 1 for update
      ), hit as (
        update sandbox.faults f set remaining = f.remaining - 1 from due
        where f.provider = due.provider and f.operation = due.operation
        returning f.mode, f.takes_effect
      ), entry as (
        insert into sandbox.requests (provider, operation, method, path, idempotency_key, body, at)
        values ($1, $2, $3, $4, $5, $6, $7) returning id
      )
      select entry.id, hit.mode, hit.takes_effect from entry left join hit on true`,
    values: [
      request.provider,
      request.operation,
      request.method,
      request.path,
      request.idempotencyKey,
      request.body === undefined ? null : JSON.stringify(request.body),
      request.at,
      mayFail,
    ],
  });
  const [arrival] = rows;
  if (!arrival) throw new Error('The request was not recorded.');
  const fault = arrival.mode ? { mode: arrival.mode, takesEffect: arrival.takes_effect === true } : null;
  return { id: arrival.id, fault };
}

/** `status` is null when the caller never got an answer. */
export async function recordAnswer(
  pool: pg.Pool,
  id: string,
  status: number | null,
  fault: Fault | null,
): Promise<void> {
  await pool.query({
    name: 'record-answer',
    text: 'update sandbox.requests set answer_status = $2, fault = $3 where id = $1',
    values: [id, status, fault?.mode ?? null],
  });
}

interface RequestRow {
  readonly id: string;
  readonly body: string | null;
  readonly at: Date;
}

/** What was asked, in order; `after` is the last id already seen. */
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
