import { InOrderBuffer, Nap } from '@parley/batching';
import type { RecordedEventMessage } from '@parley/contracts';
import { jitteredBackoffMs } from '../connection/backoff.ts';
import type { NatsConnection } from '../connection/connection.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import type { BusClient } from '../wire/message.ts';
import { listenToEvents } from './event-listener.ts';
import { type ReadEventPage, readEventPages } from './event-pages.ts';

export interface EventSubscriptionOptions {
  readonly connection: NatsConnection;
  /** Whose events. */
  readonly service: string;
  /** The last position handled already; 0 for all of the log. */
  readonly after: number;
  /**
   * Gets events in order, without gaps and without duplicates; the next call comes after it has resolved. When it
   * rejects, the same events come again, with backoff.
   */
  readonly handle: (events: readonly RecordedEventMessage[]) => Promise<void>;
  /** How missed events are read: a client asks `qry.<service>.read-events`. */
  readonly readPage: BusClient | ReadEventPage;
  /** How often to look for events whose announcement was lost. 5,000 when absent. */
  readonly pollMs?: number;
  readonly onError?: (error: unknown) => void;
}

export interface EventSubscription {
  /** The last position handled. */
  readonly position: number;
  /** Resolves when the handler is done with what it has. */
  close(): Promise<void>;
}

/** Follows another service's events: live ones as they come, missed ones by pages. One handler call at a time. */
export function subscribeToEvents(options: EventSubscriptionOptions): EventSubscription {
  return new Follower(options);
}

const maxBatch = 500;
const pageSize = 1000;

class Follower implements EventSubscription {
  readonly #options: EventSubscriptionOptions;
  readonly #readPage: ReadEventPage;
  readonly #buffer: InOrderBuffer<RecordedEventMessage>;
  readonly #nap = new Nap();
  readonly #stopListening: () => void;
  readonly #finished: Promise<void>;
  #position: number;
  /** There may be events that were not announced. */
  #mustRead = true;
  #isClosed = false;
  #failures = 0;

  constructor(options: EventSubscriptionOptions) {
    this.#options = options;
    const { connection, service, after, readPage } = options;
    this.#readPage = typeof readPage === 'function' ? readPage : readEventPages(readPage, service);
    this.#position = after;
    // While a batch is handled, or much is to be caught up with, the log keeps the others.
    this.#buffer = new InOrderBuffer(after, pageSize);
    const onEvent = (event: RecordedEventMessage) => {
      // What belongs to people is read from the service that has it.
      if (event.sealed) this.#mustRead = true;
      else this.#buffer.add([event]);
      this.#nap.wake();
    };
    const listener = listenToEvents(connection, service, onEvent, options.onError);
    const stopWatching = watchConnection(connection, {
      onBack: () => {
        this.#mustRead = true;
        this.#nap.wake();
      },
    });
    this.#stopListening = () => {
      listener.close();
      stopWatching();
    };
    this.#finished = this.#run();
  }

  get position(): number {
    return this.#position;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    this.#nap.wake();
    await this.#finished;
  }

  async #run(): Promise<void> {
    let batch: RecordedEventMessage[] = [];
    while (!this.#isClosed) {
      try {
        if (batch.length === 0) batch = this.#buffer.take(maxBatch);
        if (batch.length > 0) await this.#handle(batch);
        else if (this.#mustRead || this.#buffer.hasGap) await this.#readMissed();
        else await this.#sleep();
        batch = [];
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        this.#options.onError?.(error);
        await this.#pause();
      }
    }
  }

  async #handle(batch: readonly RecordedEventMessage[]): Promise<void> {
    await this.#options.handle(batch);
    this.#position = batch.at(-1)?.position ?? this.#position;
  }

  async #readMissed(): Promise<void> {
    const after = this.#buffer.position;
    this.#mustRead = false;
    try {
      const { events, head } = await this.#readPage(after, pageSize);
      this.#buffer.add(events);
      if (head < after) throw new Error(endsTooEarly(this.#options.service, head, after));
      // Announced, and yet not in the log: nothing will ever fill this gap.
      if (events.length === 0 && head === after) this.#buffer.forgetEarly();
      this.#mustRead ||= (events.at(-1)?.position ?? after) < head;
    } catch (error) {
      this.#mustRead = true;
      throw error;
    }
  }

  async #sleep(): Promise<void> {
    const wasWoken = await this.#nap.sleep(this.#options.pollMs ?? 5000);
    if (!wasWoken) this.#mustRead = true;
  }

  /** New announcements do not cut the pause short; only closing does. */
  async #pause(): Promise<void> {
    const waitMs = jitteredBackoffMs(this.#failures);
    const until = performance.now() + waitMs;
    for (let leftMs = waitMs; leftMs > 0 && !this.#isClosed; leftMs = until - performance.now())
      await this.#nap.sleep(leftMs);
  }
}

/** Only somebody who knows what was restored can put that right. */
const endsTooEarly = (service: string, head: number, after: number): string =>
  `The log of ${service} ends at ${head}, before ${after}, which was read already: was its database restored from an older backup? What it records up to there is not told here.`;
