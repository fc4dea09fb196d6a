import pg from 'pg';
import type { AppendResult, RecordedEvent } from '../../port.ts';
import { breakRun, brokenOff, type PreparedAppend } from '../../prepare-append.ts';
import type { InlineProjector } from '../../sql.ts';
import type { Upcast } from '../../upcasting.ts';
import { sqlStateOf } from '../connection/session.ts';
import { createWriterClient, type WriterTimeouts } from '../connection/writer-client.ts';
import { appendStatement } from './append-statement.ts';
import {
  type AppendRow,
  type BatchOutcome,
  type Foretold,
  foretoldOutcome,
  readOutcome,
  recordedEvents,
} from './batch-outcome.ts';
import { BatchFailed } from './failed-batch.ts';
import { Forecast } from './forecast.ts';
import { PipelinedTransaction } from './pipelined-transaction.ts';
import { GroupedQueries } from './query-group.ts';
import { withTextArrays } from './text-array.ts';

/** SQLSTATE of an append that `es.append` would not answer as foretold. */
const foretoldOtherwise = 'PZ001';

export interface WriterOptions {
  readonly connectionString: string;
  readonly projector: InlineProjector | undefined;
  readonly upcast: Upcast;
  readonly timeouts: WriterTimeouts;
  readonly onError: (error: unknown) => void;
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
  readonly #queries: GroupedQueries;
  readonly #projector: InlineProjector | undefined;
  readonly #upcast: Upcast;
  readonly #forecast = new Forecast();
  /** Of the batch that is being written, once it is on its way. */
  #committing: Promise<{ readonly command: string }> | undefined;
  #isLost = false;
  /** Of the backend, which Postgres names as the origin of its notifications. */
  #processId = 0;

  private constructor(client: pg.Client, projector: InlineProjector | undefined, upcast: Upcast) {
    this.#client = client;
    this.#queries = new GroupedQueries(client);
    this.#projector = projector;
    this.#upcast = upcast;
    client.on('end', () => {
      this.#isLost = true;
    });
  }

  static async connect(options: WriterOptions): Promise<Writer> {
    const { connectionString, projector, upcast, timeouts, onError } = options;
    const client = createWriterClient(connectionString, timeouts);
    const writer = new Writer(client, projector, upcast);
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
        rest = settle(results, rest, appends, outcome);
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
    this.#committing = undefined;
    try {
      const foretold = this.#forecast.tell(batch, performance.now());
      const written = foretold && (await this.#writeForetold(batch, projector, foretold));
      return written ?? (await this.#writeStepwise(batch, projector));
    } catch (error) {
      throw await this.#failedTransaction(error);
    }
  }

  /** In one round trip; undefined when something else happened than was foretold, and nothing is written. */
  async #writeForetold(
    batch: readonly PreparedAppend[],
    projector: InlineProjector,
    foretold: Foretold,
  ): Promise<WrittenBatch | undefined> {
    const sentAt = performance.now();
    const outcome = foretoldOutcome(foretold, batch);
    const answer = this.#beginWith(batch, foretold);
    // What it fails with is looked at below.
    answer.catch(() => undefined);
    try {
      const events = await this.#projectAndCommit(batch, outcome, projector);
      this.#forecast.learn(await answer, sentAt);
      this.#forecast.cameTrue();
      const results = batch.flatMap((_, place) => outcome.resultOf(place) ?? []);
      return { results, head: outcome.newHead, recorded: () => events };
    } catch (error) {
      const cause = await answer.then(
        () => error,
        (reason: unknown) => reason,
      );
      if (sqlStateOf(cause) !== foretoldOtherwise) throw error;
      this.#forecast.failed();
      await this.#queries.query({ text: 'rollback' });
      this.#committing = undefined;
      return undefined;
    }
  }

  /** Projects what the append has answered; appends once more without those that had to be refused. */
  async #writeStepwise(batch: readonly PreparedAppend[], projector: InlineProjector): Promise<WrittenBatch> {
    const results: AppendResult[] = [];
    const sentAt = performance.now();
    let appends = batch;
    let outcome = await this.#beginWith(batch);
    let rest = settle(results, [...batch.keys()], batch, outcome);
    while (rest.length > 0) {
      appends = pick(batch, rest);
      outcome = await this.#append(appends);
      rest = settle(results, rest, appends, outcome);
    }
    const events = await this.#projectAndCommit(appends, outcome, projector);
    this.#forecast.learn(outcome, sentAt);
    return { results, head: outcome.newHead, recorded: () => events };
  }

  async #beginWith(batch: readonly PreparedAppend[], foretold?: Foretold): Promise<BatchOutcome> {
    const begin = this.#queries.query({ name: 'begin', text: 'begin' });
    const [outcome] = await Promise.all([this.#append(batch, foretold), begin]);
    return outcome;
  }

  async #projectAndCommit(
    appends: readonly PreparedAppend[],
    outcome: BatchOutcome,
    projector: InlineProjector,
  ): Promise<readonly RecordedEvent[]> {
    const transaction = new PipelinedTransaction(this.#queries);
    const events = this.#recorded(appends, outcome);
    const { previousHead, isBehind } = outcome;
    if (events.length > 0) await projector.project({ tx: transaction, events, previousHead, isBehind });
    this.#committing = this.#queries.query({ name: 'commit', text: 'commit' });
    const [{ command }] = await Promise.all([this.#committing, transaction.settled()]);
    // Postgres answers the commit of a failed transaction with ROLLBACK and no error.
    if (command !== 'COMMIT') throw new Error('The projector went on after a failed query.');
    return events;
  }

  async #append(batch: readonly PreparedAppend[], foretold?: Foretold): Promise<BatchOutcome> {
    const statement = appendStatement(batch, this.#projector?.views ?? [], foretold);
    const { rows } = await this.#queries.query<AppendRow>({
      ...statement,
      values: withTextArrays(statement.values),
      rowMode: 'array',
    });
    return readOutcome(rows[0], batch);
  }

  #recorded(appends: readonly PreparedAppend[], outcome: BatchOutcome): readonly RecordedEvent[] {
    return outcome.isWritten ? recordedEvents(appends, outcome).map(this.#upcast) : [];
  }

  /** Where the commit's answer is missing, only the log knows how the transaction ended. */
  async #failedTransaction(cause: unknown): Promise<BatchFailed> {
    await this.#committing?.catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError)) this.#isLost = true;
    });
    return this.#failure(cause, this.#committing !== undefined);
  }

  /** Leaves the transaction; a connection that cannot even do that is lost. */
  async #failure(error: unknown, isCommitting: boolean): Promise<BatchFailed> {
    if (!this.#isLost) {
      await this.#queries.query({ text: 'rollback' }).catch(() => {
        this.#isLost = true;
      });
    }
    return new BatchFailed(error, isCommitting && this.#isLost, this.#isLost);
  }
}

const pick = (batch: readonly PreparedAppend[], indexes: readonly number[]): readonly PreparedAppend[] =>
  indexes.length === batch.length ? batch : batch.filter((_, index) => indexes.includes(index));

/**
 * Notes the results that are final and returns the indexes of the appends to be tried again: those before what was refused
 * of a run, and none of those behind it.
 */
function settle(
  results: AppendResult[],
  indexes: readonly number[],
  appends: readonly PreparedAppend[],
  outcome: BatchOutcome,
): number[] {
  const rest: number[] = [];
  for (const [place, index] of indexes.entries()) {
    const append = appends[place];
    if (!append) continue;
    const result = outcome.resultOf(place) ?? (append.run?.isBroken ? brokenOff(append) : undefined);
    if (result) results[index] = result;
    else rest.push(index);
    if (result && result.kind !== 'appended') breakRun(append);
  }
  return rest;
}
