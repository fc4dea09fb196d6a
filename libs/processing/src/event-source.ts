import type { EventStore, RecordedEvent } from '@parley/event-store';

export interface EventPage {
  readonly events: readonly RecordedEvent[];
  /** The log's head, read before the events were. */
  readonly head: number;
  /** All wanted events up to here are in this page and those before it: the head, or less when there may be more. */
  readonly reached: number;
}

/** A log that processors follow: this service's own, or another's over the bus. */
export interface EventSource {
  /** Whose log it is; absent when the service's own. */
  readonly service?: string | undefined;
  /**
   * Events after `after` in order; a source may ignore `types` and `accountIds`. With `positions` those at these, whatever
   * they are. Rejections are retried with backoff.
   */
  read(options: {
    readonly after: number;
    readonly limit: number;
    readonly types?: readonly string[];
    readonly accountIds?: readonly number[];
    readonly positions?: readonly number[];
  }): Promise<EventPage>;
  /**
   * Live events after `after` as soon as they come, of all types: a hint, which may be lost, repeated or out of order. A
   * call with no events says that there is something to read; a source may say so for `types` only, and nothing else.
   */
  subscribe(
    after: number,
    deliver: (events: readonly RecordedEvent[]) => void,
    types: readonly string[],
  ): EventSubscription;
}

/** A page of a log came no further than what was known: whoever has it does not answer. */
export class LogSilent extends Error {
  override readonly name = 'ServiceUnavailable';
}

export interface EventSubscription {
  close(): void | Promise<void>;
}

/**
 * In how many events a page is searched: in a log of years, a new follower of what is rare would wait for its first page
 * longer than any answer is waited for.
 */
const maxLookedAt = 250_000;

/** The service's own log as a source. */
export const ownLog = (store: EventStore): EventSource => ({
  read: async (options) => {
    const head = await store.head();
    if (head <= options.after) return { head, events: [], reached: head };
    const upTo = Math.min(head, options.after + maxLookedAt);
    return { head, ...(await store.readPage({ ...options, upTo })) };
  },
  subscribe: (_after, deliver) => ({ close: store.onAppended(deliver) }),
});
