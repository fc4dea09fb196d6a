import type { Aggregates, SqlExecutor } from '@parley/event-store';
import { askScope } from './asking.ts';
import { type Ask, callPermission } from './call-permission.ts';

/** Asks that stand for their command, because it has no answer for good yet: whomever they are about. */
export class OpenAsks {
  readonly #aggregates: Aggregates;
  readonly #sql: SqlExecutor;

  constructor(aggregates: Aggregates, sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#sql = sql;
  }

  async of(commandId: string): Promise<Ask | undefined> {
    const { rows } = await this.#sql.query<{ owner: string }>({
      name: 'open-ask-of-command',
      text: 'select owner from es.claims where scope = $1 and key = $2',
      values: [askScope, commandId],
    });
    if (!rows[0]) return undefined;
    const { state } = await this.#aggregates.load(rows[0].owner, callPermission);
    return [...state.asks, ...state.failedAsks].find(({ id }) => id === commandId);
  }
}
