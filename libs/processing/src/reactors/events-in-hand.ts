import type { RecordedEvent } from '@parley/event-store';

type Event = Pick<RecordedEvent, 'position' | 'eventId'>;

interface Begun extends Event {
  /** By the monotonic clock. */
  readonly at: number;
}

/** The events that reactors of this process are at, and since when. */
export class EventsInHand {
  /** By reactor, the oldest first. */
  readonly #begun = new Map<string, Set<Begun>>();

  /** Returns what to call once it is done or given up. */
  begin(processor: string, { position, eventId }: Event): () => void {
    const begun = this.#begun.get(processor) ?? new Set();
    this.#begun.set(processor, begun);
    const event = { position, eventId, at: performance.now() };
    begun.add(event);
    return () => begun.delete(event);
  }

  /** What the reactor is at the longest, and for how long, all attempts together; `undefined` when at nothing. */
  oldest(processor: string): (Event & { readonly ms: number }) | undefined {
    const [oldest] = this.#begun.get(processor) ?? [];
    if (!oldest) return undefined;
    const { at, ...event } = oldest;
    return { ...event, ms: performance.now() - at };
  }
}
