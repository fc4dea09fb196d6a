import type { SqlExecutor, SqlQuery, SqlResult } from '../../sql.ts';
import { withTextArrays } from './text-array.ts';

/** Lets several queries travel together, and knows in the end whether all of them succeeded. */
export class PipelinedTransaction implements SqlExecutor {
  readonly #queries: SqlExecutor;
  readonly #issued: Promise<unknown>[] = [];

  constructor(queries: SqlExecutor) {
    this.#queries = queries;
  }

  query<Row extends object>({ name, text, values }: SqlQuery): Promise<SqlResult<Row>> {
    const result = this.#queries.query<Row>({
      text,
      ...(name && { name }),
      ...(values && { values: withTextArrays(values) }),
    });
    // Whoever issued it need not await it: `settled` does.
    result.catch(() => undefined);
    this.#issued.push(result);
    return result;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#issued);
  }
}
