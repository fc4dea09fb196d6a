import type { getVerification } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { Verified } from '@parley/processing';
import type { z } from 'zod';
import { isRunning } from '../erasing/erasures.ts';

export type Verification = z.output<typeof getVerification.output>;

/** The outcomes of verifications, where every copy of the service finds them. */
export class Verifications {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  async started(projection: string): Promise<void> {
    await this.#sql.query({
      text: `insert into es.verifications (projection, status) values ($1, 'running')
             on conflict (projection) do update set
               status = 'running', rows = 0, differences = '[]', error = null, started_at = now()`,
      values: [projection],
    });
  }

  /** A view that still has somebody whose key is destroyed is no defect yet: their erasure makes it anew. */
  async ended(projection: string, found: Pick<Verified, 'rows' | 'differences'>): Promise<void> {
    if (found.differences.length > 0 && (await this.#sawErasing(projection)))
      return this.failed(projection, 'A person was being erased meanwhile; verify it again after that.');
    await this.#sql.query({
      text: `update es.verifications set status = 'done', rows = $2, differences = $3 where projection = $1`,
      values: [projection, found.rows, JSON.stringify(found.differences)],
    });
  }

  async #sawErasing(projection: string): Promise<boolean> {
    const { rowCount } = await this.#sql.query({
      text: `select from es.verifications v where projection = $1
             and exists (select from es.erasures e where ${isRunning('e')} or e.updated_at >= v.started_at)`,
      values: [projection],
    });
    return rowCount === 1;
  }

  async failed(projection: string, error: string): Promise<void> {
    await this.#sql.query({
      text: `update es.verifications set status = 'failed', error = $2 where projection = $1`,
      values: [projection, error],
    });
  }

  /** One that says it runs though nobody verifies (`isUnderWay`) lost its process; it has a moment to begin. */
  async read(projection: string, isUnderWay: boolean): Promise<Verification> {
    const { rows } = await this.#sql.query<Verification>({
      text: `select rows, differences,
               case when status = 'running' and not $2 and started_at < now() - interval '5 seconds'
                 then 'failed' else status end as status,
               case when status = 'running' and not $2 and started_at < now() - interval '5 seconds'
                 then 'The process that verified has ended.' else error end as error
             from es.verifications where projection = $1`,
      values: [projection, isUnderWay],
    });
    return rows[0] ?? { status: 'never', rows: 0, differences: [], error: null };
  }
}
