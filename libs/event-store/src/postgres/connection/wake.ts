import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedEvent } from '../../port.ts';
import { PrimaryClient } from './primary-client.ts';
import { keptAlive, types, withSettings } from './session.ts';

export interface WakeOptions {
  readonly connectionString: string;
  readonly onError: (error: unknown) => void;
  /** Does a notification come from this process's own writer, whose appends are delivered without Postgres? */
  readonly isOwn: (processId: number) => boolean;
  /** A notification lost with its connection is made up for within this time; 1,000 when absent. */
  readonly pollMs?: number;
}

type Subscriber = (events: readonly RecordedEvent[]) => void;

const defaultPollMs = 1_000;
const longestPauseMs = 1_000;

/**
 * Tells subscribers that the log grew: at once and with the events for this process's own appends, by LISTEN for those
 * of others, and by a poll for whatever LISTEN missed. Connects when somebody subscribes, reconnects for as long as it
 * is open.
 */
export class WakeSource {
  readonly #options: WakeOptions;
  readonly #subscribers = new Set<Subscriber>();
  readonly #stop = new AbortController();
  #knownHead = -1;
  #own: RecordedEvent[] = [];
  #hasOthers = false;
  #isWaking = false;
  #listening: Promise<void> | undefined;

  constructor(options: WakeOptions) {
    this.#options = options;
  }

  subscribe(deliver: Subscriber): () => void {
    // A wrapper, so that one function subscribed twice is two subscriptions.
    const subscriber: Subscriber = (events) => deliver(events);
    this.#subscribers.add(subscriber);
    this.#listening ??= this.#listen();
    return () => this.#subscribers.delete(subscriber);
  }

  /** What this process has appended, up to `head`. */
  deliver(head: number, recorded: () => readonly RecordedEvent[]): void {
    this.#knownHead = Math.max(head, this.#knownHead);
    if (this.#subscribers.size === 0) return;
    this.#own.push(...recorded());
    this.#schedule();
  }

  /** The log's head is known to be at least here. */
  announce(head: number): void {
    if (head <= this.#knownHead) return;
    this.#knownHead = head;
    this.#hasOthers = true;
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#subscribers.clear();
    await this.#listening;
  }

  #schedule(): void {
    if (this.#isWaking || this.#subscribers.size === 0) return;
    this.#isWaking = true;
    setImmediate(() => this.#wake());
  }

  #wake(): void {
    const [own, hasOthers] = [this.#own, this.#hasOthers];
    this.#isWaking = false;
    this.#own = [];
    this.#hasOthers = false;
    if (own.length > 0) this.#call(own);
    if (hasOthers) this.#call([]);
  }

  #call(events: readonly RecordedEvent[]): void {
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(events);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  async #listen(): Promise<void> {
    for (let pauseMs = 20; !this.#stop.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        await this.#listenOnce(() => {
          pauseMs = 20;
        });
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#options.onError(error);
      }
      await pause(pauseMs, this.#stop.signal);
    }
  }

  /** Resolves or rejects when the connection is gone. */
  async #listenOnce(onConnected: () => void): Promise<void> {
    const client = new PrimaryClient({
      connectionString: withSettings(this.#options.connectionString, {}),
      application_name: 'parley-listener',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      types,
      ...keptAlive,
    });
    const over = new AbortController();
    const end = () => over.abort();
    client.once('end', end);
    this.#stop.signal.addEventListener('abort', end);
    client.on('error', (error) => this.#options.onError(error));
    client.on('notification', ({ payload, processId }) => {
      if (!this.#options.isOwn(processId)) this.announce(Number(payload));
    });
    try {
      await client.connect();
      await client.query('listen es_appended');
      onConnected();
      while (!over.signal.aborted) {
        const { rows } = await client.query<{ position: number }>('select position from es.head');
        this.announce(rows[0]?.position ?? 0);
        await pause(this.#options.pollMs ?? defaultPollMs, over.signal);
      }
    } finally {
      this.#stop.signal.removeEventListener('abort', end);
      await client.end().catch(() => undefined);
    }
  }
}

/** Ends early when the signal aborts; does not keep the process alive. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
