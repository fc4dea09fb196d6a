import type { getErasure } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { z } from 'zod';

export type Erasure = z.output<typeof getErasure.output>;

/** Whoever erases says so at least this often; milliseconds. */
export const signOfLifeMs = 2_000;
const lostAfter = '15 seconds';

/** For SQL: whether the erasure, a row of `es.erasures`, is under way. */
export const isRunning = (erasure: string): string =>
  `(${erasure}.status = 'running' and ${erasure}.updated_at >= now() - interval '${lostAfter}')`;

/** How erasing goes, where every copy of the service finds it. Nothing in it tells who is erased. */
export class Erasures {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  /** False when the erasure is on record already and under way. */
  async started(erasureId: string, accountId: number): Promise<boolean> {
    const { rowCount } = await this.#sql.query({
      text: `insert into es.erasures (erasure_id, account_id, status) values ($1, $2, 'running')
             on conflict (erasure_id) do update set
               status = 'running', step = '', error = null, leftovers = '[]', updated_at = now()
             where not ${isRunning('es.erasures')}`,
      values: [erasureId, accountId],
    });
    return rowCount === 1;
  }

  async isDoing(erasureId: string, step: string): Promise<void> {
    await this.#sql.query({
      text: 'update es.erasures set step = $2, updated_at = now() where erasure_id = $1',
      values: [erasureId, step],
    });
  }

  async isAlive(erasureId: string): Promise<void> {
    await this.#sql.query({
      text: `update es.erasures set updated_at = now() where erasure_id = $1 and status = 'running'`,
      values: [erasureId],
    });
  }

  async ended(
    erasureId: string,
    { subject_ids, leftovers }: Pick<Erasure, 'subject_ids' | 'leftovers'>,
  ): Promise<void> {
    await this.#sql.query({
      text: `update es.erasures set status = 'done', step = '', subject_ids = $2::uuid[], leftovers = $3, updated_at = now()
             where erasure_id = $1`,
      values: [erasureId, subject_ids, JSON.stringify(leftovers)],
    });
  }

  async failed(erasureId: string, error: string): Promise<void> {
    await this.#sql.query({
      text: `update es.erasures set status = 'failed', error = $2, updated_at = now() where erasure_id = $1`,
      values: [erasureId, error],
    });
  }

  /** One that shows no sign of life lost its process. */
  async read(erasureId: string): Promise<Erasure> {
    const { rows } = await this.#sql.query<Erasure & { is_lost: boolean }>({
      text: `select status, step, subject_ids::text[] as subject_ids, leftovers, error,
               status = 'running' and not ${isRunning('e')} as is_lost
             from es.erasures e where erasure_id = $1`,
      values: [erasureId],
    });
    const [row] = rows;
    if (!row) return { status: 'never', step: '', subject_ids: [], leftovers: [], error: null };
    const { is_lost: isLost, ...erasure } = row;
    return isLost ? { ...erasure, status: 'failed', error: 'The process that erased has ended.' } : erasure;
  }
}
