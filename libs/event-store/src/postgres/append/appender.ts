import { setTimeout as sleep } from 'node:timers/promises';
import { AppendQueue, type QueueLimits } from '../../append-queue.ts';
import {
  AppendQueueFull,
  type AppendRequest,
  type AppendResult,
  type RecordedEvent,
  StoreUnavailable,
} from '../../port.ts';
import {
  type AppendRun,
  breakRun,
  brokenOff,
  type PreparedAppend,
  prepareAppend,
} from '../../prepare-append.ts';
import { afterFailure, BatchFailed } from './failed-batch.ts';
import type { PendingAppend } from './pending-append.ts';
import type { Writer } from './writer.ts';

export interface AppenderOptions {
  readonly connect: () => Promise<Writer>;
  /** The result of an append whose first try was not acknowledged, when the log holds its events. */
  readonly findWritten: (append: PreparedAppend) => Promise<AppendResult | undefined>;
  /** `recorded` makes the events of a batch, as a reader will find them, for whoever wants them. */
  readonly onWritten: (head: number, recorded: () => readonly RecordedEvent[]) => void;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<QueueLimits>;
  /** How long an append waits for its turn before it is answered `StoreUnavailable`; milliseconds. */
  readonly turnMs: number;
}

const maxRunsAgain = 5;
const longestPauseMs = 500;

/**
 * Writes appends in batches, one in flight: a batch is what came while the last one flew, so an idle log is written at
 * once. Survives lost connections; an append of unknown outcome is tried again with the same event ids, which cannot
 * be written twice.
 */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #queue: AppendQueue<PendingAppend>;
  #writer: Writer | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: AppenderOptions, writer: Writer) {
    this.#options = options;
    this.#queue = new AppendQueue(options.limits);
    this.#writer = writer;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    return new Promise((resolve, reject) => this.#push(prepareAppend(request), resolve, reject));
  }

  /**
   * Once one of them is not written, those after it are not either. One that could not be made ready to be stored
   * fails.
   */
  appendRun(stored: readonly PromiseSettledResult<AppendRequest>[]): Promise<AppendResult>[] {
    let run: AppendRun = { isBroken: false };
    return stored.map((result) => {
      try {
        if (result.status === 'rejected') throw result.reason;
        const append = prepareAppend(result.value, run);
        return new Promise((resolve, reject) => this.#push(append, resolve, reject));
      } catch (error) {
        // Those before it are written.
        run = { isBroken: true };
        return Promise.reject(error);
      }
    });
  }

  #push(append: PreparedAppend, resolve: PendingAppend['resolve'], reject: PendingAppend['reject']): void {
    const pending: PendingAppend = {
      ...append,
      resolve,
      reject(error) {
        breakRun(append);
        reject(error);
      },
      giveUpAt: performance.now() + this.#options.turnMs,
      mayBeWritten: false,
      runsAgain: 0,
    };
    if (this.#isClosed) pending.reject(new StoreUnavailable('not-written'));
    else if (!this.#queue.push(pending))
      pending.reject(new AppendQueueFull('Too many appends wait for their turn.'));
    else this.#running ??= this.#run();
  }

  /** Takes nothing more, writes what waits, ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#writer?.end();
  }

  async #run(): Promise<void> {
    // What arrives in the same tick travels in the same batch.
    await new Promise(setImmediate);
    while (this.#queue.size > 0) {
      const writer = await this.#connected();
      this.#giveUp('The append did not get its turn in time.');
      if (writer) await this.#write(writer, this.#queue.takeBatch());
    }
    this.#running = undefined;
  }

  async #write(writer: Writer, taken: PendingAppend[]): Promise<void> {
    const batch = taken.filter(({ run }) => !run?.isBroken);
    for (const pending of taken) if (pending.run?.isBroken) this.#settle(pending, brokenOff(pending));
    if (batch.length === 0) return;
    try {
      const { results, head, recorded } = await writer.write(batch);
      const tell = () => {
        for (const [index, pending] of batch.entries()) this.#settle(pending, results[index]);
        if (head !== undefined) this.#options.onWritten(head, recorded);
      };
      // The next batch leaves first: Postgres works on it while these are answered.
      if (this.#queue.size > 0) setImmediate(tell);
      else tell();
    } catch (error) {
      if (!(error instanceof BatchFailed)) throw error;
      await this.#recover(writer, batch, error);
    }
  }

  #settle(pending: PendingAppend, result: AppendResult | undefined): void {
    if (!result) pending.reject(new Error('An append got no result.'));
    else if (pending.mayBeWritten && result.kind !== 'appended')
      void this.#lookUp(pending, () => pending.resolve(result));
    else pending.resolve(result);
  }

  async #lookUp(pending: PendingAppend, otherwise: () => void): Promise<void> {
    try {
      const written = await this.#options.findWritten(pending);
      if (written) pending.resolve(written);
      else otherwise();
    } catch (cause) {
      pending.reject(new StoreUnavailable('unknown', { cause }));
    }
  }

  async #recover(writer: Writer, batch: PendingAppend[], failure: BatchFailed): Promise<void> {
    const next = afterFailure(batch, failure, maxRunsAgain);
    if (next.report) this.#options.onError(failure);
    for (const pending of next.mayBeWritten) pending.mayBeWritten = true;
    for (const pending of next.again) pending.runsAgain++;
    this.#queue.putBack(next.again);
    for (const { pending, error } of next.rejected) {
      breakRun(pending);
      if (pending.mayBeWritten) void this.#lookUp(pending, () => pending.reject(error));
      else pending.reject(error);
    }
    for (const half of next.halves) {
      if (writer.isLost) {
        // It comes before what it follows.
        for (const pending of half) breakRun(pending);
        this.#queue.putBack(half);
      } else await this.#write(writer, half);
    }
  }

  /** The connection, made anew when it was lost; undefined once nobody waits for it any more. */
  async #connected(): Promise<Writer | undefined> {
    for (let pauseMs = 10; this.#queue.size > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (this.#writer && !this.#writer.isLost) return this.#writer;
      try {
        await this.#writer?.end().catch(() => undefined);
        this.#writer = undefined;
        this.#writer = await this.#options.connect();
      } catch (error) {
        this.#options.onError(error);
        this.#giveUp(error);
        await sleep(pauseMs);
      }
    }
    return undefined;
  }

  /** Answers those who have waited too long. */
  #giveUp(cause: unknown): void {
    const now = performance.now();
    for (const pending of this.#queue.removeFirst(({ giveUpAt }) => giveUpAt < now))
      pending.reject(new StoreUnavailable(pending.mayBeWritten ? 'unknown' : 'not-written', { cause }));
  }
}
