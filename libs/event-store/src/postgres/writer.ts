import { Socket } from 'node:net';
import pg from 'pg';
import type { AppendResult, RecordedEvent } from '../port.ts';
import type { PreparedAppend } from '../prepare-append.ts';
import type { InlineProjector } from '../sql.ts';
import type { Upcast } from '../upcasting.ts';
import { appendStatement } from './append-statement.ts';
import { type AppendRow, type BatchOutcome, readOutcome, recordedEvents } from './batch-outcome.ts';
import { PipelinedTransaction } from './pipelined-transaction.ts';
import { types, withSettings } from './session.ts';
import { withTextArrays } from './text-array.ts';

/** After which an append is given up; milliseconds. */
export interface WriterTimeouts {
  /** Waiting for the append lock. */
  readonly lockMs: number;
  /** One statement, the wait for the lock included. */
  readonly statementMs: number;
  /** A projector that thinks while the lock is held. */
  readonly idleInTransactionMs: number;
  /** No answer at all: the connection counts as lost. More than the server allows itself. */
  readonly answerMs: number;
  /** Waiting in the queue, with or without a connection. */
  readonly turnMs: number;
}

export const defaultTimeouts: WriterTimeouts = {
  lockMs: 4_000,
  statementMs: 6_000,
  idleInTransactionMs: 6_000,
  answerMs: 7_000,
  turnMs: 5_000,
};

/** Batches are small beside what they are joined with. */
const settings = { synchronous_commit: 'on', enable_hashjoin: 'off', enable_mergejoin: 'off' };
const connectTimeoutMs = 2_000;

export interface WriterOptions {
  readonly connectionString: string;
  readonly projector: InlineProjector | undefined;
  readonly upcast: Upcast;
  readonly timeouts: WriterTimeouts;
  readonly onError: (error: unknown) => void;
}

/** A batch that was not acknowledged. */
export class BatchFailed extends Error {
  override readonly name = 'BatchFailed';
  /** True when the commit was on its way, so that only the log itself knows. */
  readonly isOutcomeUnknown: boolean;
  readonly isConnectionLost: boolean;

  constructor(cause: unknown, isOutcomeUnknown: boolean, isConnectionLost: boolean) {
    super('A batch of appends was not acknowledged.', { cause });
    this.isOutcomeUnknown = isOutcomeUnknown;
    this.isConnectionLost = isConnectionLost;
  }
}

export interface WrittenBatch {
  /** In the order of the batch. */
  readonly results: readonly AppendResult[];
  /** The log's head after the batch; undefined when it brought no event. */
  readonly head: number | undefined;
  /** The batch's events as a reader will find them. */
  readonly recorded: () => readonly RecordedEvent[];
}

/** The one connection that appends; one batch at a time. Of no use any more once `isLost`. */
export class Writer {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #projector: InlineProjector | undefined;
  readonly #upcast: Upcast;
  #isLost = false;
  /** Of the backend, which Postgres names as the origin of its notifications. */
  #processId = 0;

  private constructor(
    client: pg.Client,
    socket: Socket,
    projector: InlineProjector | undefined,
    upcast: Upcast,
  ) {
    this.#client = client;
    this.#socket = socket;
    this.#projector = projector;
    this.#upcast = upcast;
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  static async connect(options: WriterOptions): Promise<Writer> {
    const { connectionString, projector, upcast, timeouts, onError } = options;
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: withSettings(connectionString, {
        ...settings,
        lock_timeout: timeouts.lockMs,
        statement_timeout: timeouts.statementMs,
        idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
      }),
      application_name: 'parley-writer',
      pipeline: true,
      stream: () => socket,
      query_timeout: timeouts.answerMs,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      types,
    });
    const writer = new Writer(client, socket, projector, upcast);
    client.on('error', (error) => {
      writer.#isLost = true;
      onError(error);
    });
    await client.connect();
    const { rows } = await client.query<{ id: number }>('select pg_backend_pid() as id');
    writer.#processId = rows[0]?.id ?? 0;
    return writer;
  }

  get processId(): number {
    return this.#processId;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Writes every append of the batch that may be written, in one transaction; rejects with `BatchFailed` alone. */
  write(batch: readonly PreparedAppend[]): Promise<WrittenBatch> {
    return this.#projector ? this.#writeAndProject(batch, this.#projector) : this.#writeAlone(batch);
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  /** One statement, one round trip; once more for the rest when some had to be refused. */
  async #writeAlone(batch: readonly PreparedAppend[]): Promise<WrittenBatch> {
    const results: AppendResult[] = [];
    let rest = [...batch.keys()];
    try {
      for (;;) {
        const appends = pick(batch, rest);
        const outcome = await this.#append(appends);
        rest = settle(results, rest, outcome);
        if (rest.length > 0) continue;
        return { results, head: outcome.newHead, recorded: () => this.#recorded(appends, outcome) };
      }
    } catch (error) {
      throw await this.#failure(error, true);
    }
  }

  async #writeAndProject(
    batch: readonly PreparedAppend[],
    projector: InlineProjector,
  ): Promise<WrittenBatch> {
    const results: AppendResult[] = [];
    let rest = [...batch.keys()];
    let committing: Promise<pg.QueryResult> | undefined;
    try {
      this.#sendTogether();
      const begin = this.#client.query('begin');
      for (;;) {
        const appends = pick(batch, rest);
        const [outcome] = await Promise.all([this.#append(appends), begin]);
        rest = settle(results, rest, outcome);
        if (rest.length > 0) continue;
        this.#sendTogether();
        const transaction = new PipelinedTransaction(this.#client);
        const events = this.#recorded(appends, outcome);
        const { previousHead, isBehind } = outcome;
        if (events.length > 0) await projector.project({ tx: transaction, events, previousHead, isBehind });
        committing = this.#client.query('commit');
        const [{ command }] = await Promise.all([committing, transaction.settled()]);
        // Postgres answers the commit of a failed transaction with ROLLBACK and no error.
        if (command !== 'COMMIT') throw new Error('The projector went on after a failed query.');
        return { results, head: outcome.newHead, recorded: () => events };
      }
    } catch (error) {
      throw committing ? await this.#failedCommit(error, committing) : await this.#failure(error, false);
    }
  }

  async #append(batch: readonly PreparedAppend[]): Promise<BatchOutcome> {
    const statement = appendStatement(batch, this.#projector?.views ?? []);
    const { rows } = await this.#client.query<AppendRow>({
      ...statement,
      values: withTextArrays(statement.values),
      rowMode: 'array',
    });
    return readOutcome(rows[0], batch);
  }

  /** Queries of this tick, microtasks included, leave in one system call: each by itself costs more than they do. */
  #sendTogether(): void {
    this.#socket.cork();
    process.nextTick(() => this.#socket.uncork());
  }

  #recorded(appends: readonly PreparedAppend[], outcome: BatchOutcome): readonly RecordedEvent[] {
    return outcome.isWritten ? recordedEvents(appends, outcome).map(this.#upcast) : [];
  }

  /** Where the commit's answer is missing, only the log knows how the transaction ended. */
  async #failedCommit(cause: unknown, committing: Promise<unknown>): Promise<BatchFailed> {
    await committing.catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError)) this.#isLost = true;
    });
    return this.#failure(cause, true);
  }

  /** Leaves the transaction; a connection that cannot even do that is lost. */
  async #failure(error: unknown, isCommitting: boolean): Promise<BatchFailed> {
    if (!this.#isLost) {
      await this.#client.query('rollback').catch(() => {
        this.#isLost = true;
      });
    }
    return new BatchFailed(error, isCommitting && this.#isLost, this.#isLost);
  }
}

const pick = (batch: readonly PreparedAppend[], indexes: readonly number[]): readonly PreparedAppend[] =>
  indexes.length === batch.length ? batch : batch.filter((_, index) => indexes.includes(index));

/** Notes the results that are final and returns the indexes of the appends to be tried again. */
function settle(results: AppendResult[], indexes: readonly number[], outcome: BatchOutcome): number[] {
  const rest: number[] = [];
  for (const [place, index] of indexes.entries()) {
    const result = outcome.resultOf(place);
    if (result) results[index] = result;
    else rest.push(index);
  }
  return rest;
}
