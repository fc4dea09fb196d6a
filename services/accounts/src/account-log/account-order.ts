import type { SqlExecutor } from '@parley/event-store';

/** Where an event stands in its service's log. */
export interface Place {
  readonly service: string;
  readonly servicePosition: number;
  readonly type: string;
}

/** An event's place in the account's log. */
export interface Entry extends Place {
  readonly position: number;
}

export interface WantedEntries {
  readonly accountId: number;
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly types: readonly string[] | null;
}

/** The last position of an account's log, and up to which position each service's log is merged into it. */
export interface OrderHead {
  readonly position: number;
  readonly reached: Readonly<Record<string, number>>;
}

/** The stored order of each account's events. It names events by service and position and does not hold them. */
export class AccountOrder {
  readonly #sql: SqlExecutor;

  constructor(sql: SqlExecutor) {
    this.#sql = sql;
  }

  async head(accountId: number): Promise<OrderHead> {
    const { rows } = await this.#sql.query<OrderHead>({
      name: 'account-log-head',
      text: 'select position, reached from account_log.heads where account_id = $1',
      values: [accountId],
    });
    return rows[0] ?? { position: 0, reached: {} };
  }

  /**
   * Appends places behind `head` and stores how far each service is merged. False when another copy changed the
   * head first; then nothing is written.
   */
  async append(
    accountId: number,
    head: OrderHead,
    places: readonly Place[],
    reached: OrderHead['reached'],
  ): Promise<boolean> {
    const { rowCount } = await this.#sql.query({
      name: 'account-log-append',
      text: `with moved as (
               insert into account_log.heads (account_id, position, reached)
               select $1, $2::int8 + $3::int8, $4::jsonb
               where $2::int8 = 0 or exists (select from account_log.heads h where h.account_id = $1)
               on conflict (account_id) do update set position = excluded.position, reached = excluded.reached
               where heads.position = $2 and heads.reached = $5::jsonb
               returning account_id
             ), added as (
               insert into account_log.entries (account_id, position, service_position, service, type)
               select $1, $2::int8 + p.place, p.service_position, p.service, p.type
               from moved, unnest($6::int8[], $7::text[], $8::text[])
                 with ordinality p (service_position, service, type, place)
             )
             select from moved`,
      values: [
        accountId,
        head.position,
        places.length,
        JSON.stringify(reached),
        JSON.stringify(head.reached),
        places.map(({ servicePosition }) => servicePosition),
        places.map(({ service }) => service),
        places.map(({ type }) => type),
      ],
    });
    return rowCount === 1;
  }

  /**
   * Entries with `after` < position <= `upTo`, in order, at most `limit`; with `types`, of these event types only.
   */
  async read({ accountId, after, upTo, limit, types }: WantedEntries): Promise<Entry[]> {
    const { rows } = await this.#sql.query<{
      position: number;
      service_position: number;
      service: string;
      type: string;
    }>({
      name: 'account-log-entries',
      text: `select position, service_position, service, type from account_log.entries
             where account_id = $1 and position > $2 and position <= $5 and ($4::text[] is null or type = any($4))
             order by position limit $3`,
      values: [accountId, after, limit, types, upTo],
    });
    return rows.map(({ position, service, type, service_position: servicePosition }) => ({
      position,
      service,
      type,
      servicePosition,
    }));
  }
}
