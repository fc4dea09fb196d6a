import { InOrderBuffer, Nap } from '@parley/batching';
import type { RecordedEventMessage } from '@parley/contracts';
import { jitteredBackoffMs } from '../connection/backoff.ts';
import type { NatsConnection } from '../connection/connection.ts';
import { UntilLost } from '../connection/until-lost.ts';
import { type AgainRequest, joined, whereToGoOn } from './again-request.ts';
import type { EventPage } from './event-pages.ts';
import { EventStream, type StreamTail } from './event-stream.ts';
import { onPublishAgain } from './publish-again.ts';

/** Being the one of all copies that does something; structural, so that any lock can provide it. */
interface Ownership {
  /** Aborted when the ownership is lost: stop at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface EventPublisherOptions {
  readonly connection: NatsConnection;
  /** Stream `EVT_<SERVICE>`, subjects `evt.<service>.<category>.<type>`. */
  readonly service: string;
  /** A page of the log in position order: at most `limit` events with a position greater than `after`, fewer when they are large. */
  readonly readPage: (after: number, limit: number) => Promise<EventPage>;
  /**
   * Calls back soon after events were appended, with those events or with none when there is something to read; returns
   * how to stop that. What comes this way is sent without reading the log.
   */
  readonly onAppended: (deliver: (events: readonly RecordedEventMessage[]) => void) => () => void;
  /** Resolves once this copy is the only publisher; rejects when `signal` is aborted. At once when absent. */
  readonly acquire?: (signal: AbortSignal) => Promise<Ownership>;
  /** JetStream keeps at most this many bytes, the newest. 256 MiB when absent. */
  readonly maxBytes?: number;
  /** Replicas of the stream, for NATS clusters. 1 when absent. */
  readonly replicas?: number;
  /** Told about every try that failed; publishing goes on by itself. */
  readonly onFailure?: (error: unknown) => void;
  /** It goes on after failures. */
  readonly onRecovered?: () => void;
  /** It is another copy's to do now, or nobody's, after failures. */
  readonly onLeft?: () => void;
  /** Told about what was passed over, and what others did to the stream. */
  readonly onError?: (error: unknown) => void;
}

export interface EventPublisher {
  /** The newest position JetStream has acknowledged, or need not have any more; 0 before the first. */
  readonly position: number;
  /** Stops after what is in flight and gives the ownership back. */
  close(): Promise<void>;
}

/**
 * Sends the log to JetStream in order, from wherever the stream ends: the stream itself is the checkpoint, so a lost
 * tail is simply sent again, under the same message ids, and of a lost stream as much as one can hold. Never throws;
 * failures are retried.
 */
export function createEventPublisher(options: EventPublisherOptions): EventPublisher {
  return new StreamPublisher(options);
}

const pageSize = 500;
const defaultMaxBytes = 256 * 1024 * 1024;
/** No event takes less in a stream, headers and all. */
const smallestMessageBytes = 512;
/**
 * The next page forms while this lasts: sending after each append would cost commands more than it gives subscribers.
 * Half of it is what an event waits for on average, so that a handler elsewhere has it within 5 ms of its time of record.
 */
const restMs = 2;
/** How often an idle publisher looks at the stream, in case it was deleted, and at the log, in case a wake-up was lost. */
const checkIntervalMs = 10_000;

class StreamPublisher implements EventPublisher {
  readonly #options: EventPublisherOptions;
  readonly #onError: (error: unknown) => void;
  readonly #stream: EventStream;
  readonly #untilLost: UntilLost;
  /** Until there may be something to do. */
  readonly #idle = new Nap();
  /** Until waiting after a failure, or for a page to form, makes no sense any more. */
  readonly #pause = new Nap();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  readonly #stopListening: () => void;
  readonly #finished: Promise<void>;
  /** What was appended while this copy publishes. */
  #appended: InOrderBuffer<RecordedEventMessage> | undefined;
  /** What it was asked to send again and has not begun to. */
  #again: AgainRequest | undefined;
  /** There may be events that were not delivered. */
  #mustRead = true;
  #position = 0;
  #failures = 0;
  #mustFindTail = false;

  constructor(options: EventPublisherOptions) {
    this.#options = options;
    this.#onError = options.onError ?? (() => undefined);
    const { connection, service, maxBytes = defaultMaxBytes, replicas = 1 } = options;
    this.#stream = new EventStream({ connection, service, maxBytes, replicas, onError: this.#onError });
    this.#untilLost = new UntilLost(connection, () => this.#findTailAgain());
    this.#unsubscribe = options.onAppended((events) => this.#onAppended(events));
    this.#stopListening = onPublishAgain(
      connection,
      service,
      (from, onBegun) => this.#startAgain(from, onBegun),
      this.#onError,
    );
    this.#finished = this.#run();
  }

  get position(): number {
    return this.#position;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#untilLost.stopWatching();
    this.#stopListening();
    this.#closing.abort();
    this.#interrupt();
    await this.#finished;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const ownership = await (this.#options.acquire ?? aloneAnyway)(signal);
        const onLost = () => this.#interrupt();
        ownership.lost.addEventListener('abort', onLost);
        await this.#publishWhile(AbortSignal.any([signal, ownership.lost]));
        this.#appended = undefined;
        this.#again = undefined;
        this.#endFailures(this.#options.onLeft);
        ownership.lost.removeEventListener('abort', onLost);
        await ownership.release();
      } catch (error) {
        if (!signal.aborted) await this.#pauseAfter(error);
      }
    }
  }

  async #publishWhile(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      try {
        this.#untilLost.throwIfDown();
        await this.#publishFromTail(stop);
      } catch (error) {
        if (!stop.aborted) await this.#pauseAfter(error);
      }
    }
  }

  /** Returns when it is time to look at the stream again; rejects when the stream did not take what was sent. */
  async #publishFromTail(stop: AbortSignal): Promise<void> {
    this.#mustFindTail = false;
    const found = await this.#untilLost.wait(this.#findTail());
    const again = this.#again;
    let tail = whereToGoOn(found, again);
    this.#position = tail.position;
    const appended = new InOrderBuffer<RecordedEventMessage>(tail.position);
    this.#appended = appended;
    this.#mustRead = true;
    const checkAt = performance.now() + checkIntervalMs;
    while (!stop.aborted && !this.#mustFindTail) {
      const events = await this.#next(appended);
      if (events.length > 0) {
        tail = await this.#untilLost.wait(this.#stream.append(tail, events));
        this.#position = tail.position;
        if (again && again === this.#again) this.#hasBegun(again);
        this.#recover();
        if (events.length < pageSize) await this.#pause.sleep(restMs);
      } else {
        const idleMs = checkAt - performance.now();
        this.#recover();
        if (idleMs <= 0) return;
        await this.#idle.sleep(idleMs);
      }
    }
  }

  /**
   * The events behind those sent so far: as they were delivered, or from the log when some were not. After a failure one
   * alone: of several JetStream only says that the last one does not follow, not why it took none.
   */
  async #next(appended: InOrderBuffer<RecordedEventMessage>): Promise<readonly RecordedEventMessage[]> {
    const limit = this.#failures > 0 ? 1 : pageSize;
    const delivered = appended.take(limit);
    if (delivered.length > 0 || !(this.#mustRead || appended.hasGap)) return delivered;
    this.#mustRead = false;
    const { events, head } = await this.#options.readPage(appended.position, pageSize);
    const last = events.at(-1);
    if (last && last.position < head) this.#mustRead = true;
    appended.add(events);
    return appended.take(limit);
  }

  /** Nothing when another copy publishes. Who asks while an append is in flight comes after it, and is another request. */
  #startAgain(from: number, onBegun: () => void): void {
    if (!this.#appended) return;
    this.#again = joined(this.#again, from, onBegun);
    this.#findTailAgain();
  }

  #hasBegun({ onBegun }: AgainRequest): void {
    this.#again = undefined;
    for (const tell of onBegun) tell();
  }

  /** While JetStream stores nothing, the log alone keeps them: they may be as large as events are. */
  #onAppended(events: readonly RecordedEventMessage[]): void {
    if (events.length === 0 || this.#failures > 0 || this.#untilLost.isDown) this.#mustRead = true;
    else this.#appended?.add(events);
    this.#idle.wake();
  }

  /** A stream whose end is not in our log is another log's (a database was restored or made anew): it starts over. */
  async #findTail(): Promise<StreamTail> {
    const tail = await this.#stream.tail();
    if (tail.position === 0) return this.#emptyTail(tail.sequence);
    const [event] = (await this.#options.readPage(tail.position - 1, 1)).events;
    if (event?.event_id === tail.eventId) return tail;
    this.#onError(new Error(`${this.#stream.name} ends with another log's event; it is filled anew.`));
    await this.#stream.purge();
    return this.#emptyTail(tail.sequence);
  }

  /** What an empty stream would drop again before it came to the log's end is not sent: new events wait for the rest. */
  async #emptyTail(sequence: number): Promise<StreamTail> {
    const { maxBytes = defaultMaxBytes, readPage } = this.#options;
    const { head } = await readPage(0, 1);
    const position = Math.max(0, head - Math.floor(maxBytes / smallestMessageBytes));
    return { position, eventId: '', sequence };
  }

  async #pauseAfter(error: unknown): Promise<void> {
    this.#failures += 1;
    this.#options.onFailure?.(error);
    await this.#pause.sleep(jitteredBackoffMs(this.#failures));
  }

  #recover(): void {
    this.#endFailures(this.#options.onRecovered);
  }

  #endFailures(tell: (() => void) | undefined): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    tell?.();
  }

  #findTailAgain(): void {
    this.#mustFindTail = true;
    this.#interrupt();
  }

  #interrupt(): void {
    this.#idle.wake();
    this.#pause.wake();
  }
}

const aloneAnyway = async (): Promise<Ownership> => ({
  lost: new AbortController().signal,
  release: async () => undefined,
});
