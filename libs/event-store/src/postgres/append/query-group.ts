import pg from 'pg';
import type { SqlExecutor, SqlQuery, SqlResult } from '../../sql.ts';
import { types } from '../connection/session.ts';

interface Query extends SqlQuery {
  readonly rowMode?: 'array';
}

/** What pg's client expects of a query, and what it tells it; pg-cursor is told the same. */
interface Submitted {
  readonly name?: string | undefined;
  readonly text: string;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}

interface Connection extends pg.Connection {
  readonly submittedNamedStatements: Record<string, string>;
  sync(): void;
}

/**
 * Sends the queries of one turn of the event loop, microtasks included, in one system call and with one Sync, so that
 * Postgres answers them in one as well: each message by itself would wake a process, which costs more than most queries.
 * One group is in flight; the next one forms meanwhile. A query that fails fails all of its group.
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class GroupedQueries implements SqlExecutor {
  readonly #client: pg.Client;
  #next: Submitted[] = [];
  #isInFlight = false;

  /** Of a client without pg's own pipeline mode, in which each query has its Sync. */
  constructor(client: pg.Client) {
    this.#client = client;
  }

  query<Row extends object>(query: Query): Promise<SqlResult<Row> & { readonly command: string }> {
    return new Promise((resolve, reject) => {
      // `queryMode` keeps what binds nothing from being sent as a simple query, which has a Sync of its own.
      const config = { ...query, types, queryMode: 'extended' };
      const submitted = new pg.Query<Row>(config, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
      if (this.#next.length === 0) process.nextTick(() => this.#send());
      this.#next.push(submitted as unknown as Submitted);
    });
  }

  #send(): void {
    if (this.#isInFlight || this.#next.length === 0) return;
    const group = new QueryGroup(this.#next, () => {
      this.#isInFlight = false;
      this.#send();
    });
    this.#next = [];
    this.#isInFlight = true;
    this.#client.query(group);
  }
}

class QueryGroup implements pg.Submittable {
  /** For pg's client, which wraps it to know when to stop waiting. */
  callback: () => void;
  /** In order. */
  readonly #queries: readonly Submitted[];
  #answered = 0;

  constructor(queries: Submitted[], onEnd: () => void) {
    this.#queries = queries;
    this.callback = onEnd;
  }

  /** With `text`, by which the client knows what has been parsed: of the query that is being answered. */
  get name(): string | undefined {
    return this.#current?.name;
  }

  get text(): string | undefined {
    return this.#current?.text;
  }

  get #current(): Submitted | undefined {
    return this.#queries[this.#answered];
  }

  submit(connection: pg.Connection): Error | null {
    const real = connection as Connection;
    const withoutSync: Connection = Object.create(real, { sync: { value: () => undefined } });
    real.stream.cork();
    try {
      for (const query of this.#queries) {
        const error = query.submit(withoutSync);
        if (!error) continue;
        // Half a group is on its way, and nothing tells Postgres to forget it.
        real.stream.destroy(error);
        return error;
      }
      real.sync();
      return null;
    } finally {
      real.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection);
    this.#answered += 1;
  }

  /** Only now is it known that nothing fails any more: without a transaction of its own, the group is one, and ends here. */
  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.callback();
  }

  /** Postgres passes over all that is left; anything else than its own error ends the connection. */
  handleError(error: Error, connection: Connection): void {
    if (!(error instanceof pg.DatabaseError)) connection.stream.destroy();
    for (const { name } of this.#queries.slice(this.#answered))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    for (const query of this.#queries) query.handleError(error, connection);
    this.callback();
  }
}
