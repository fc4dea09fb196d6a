import type { RecordedEvent } from '@parley/event-store';

/**
 * Puts live deliveries in order: repeated ones count once, early ones wait for those before them. Dense positions make
 * a gap visible; the gap's events are read from the log.
 */
export class EventBuffer {
  readonly #byPosition = new Map<number, RecordedEvent>();
  readonly #maxEvents: number;

  /** Beyond `maxEvents` deliveries are dropped: they are found missing, and read from the log. */
  constructor(maxEvents = 10_000) {
    this.#maxEvents = maxEvents;
  }

  get isEmpty(): boolean {
    return this.#byPosition.size === 0;
  }

  add(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      if (this.#byPosition.size >= this.#maxEvents) return;
      this.#byPosition.set(event.position, event);
    }
  }

  /** Takes the events that follow `position` without a gap, at most `limit`, and forgets all up to there. */
  takeAfter(position: number, limit: number): RecordedEvent[] {
    const taken: RecordedEvent[] = [];
    for (let next = position + 1; taken.length < limit; next += 1) {
      const event = this.#byPosition.get(next);
      if (!event) break;
      taken.push(event);
      this.#byPosition.delete(next);
    }
    if (taken.length === 0) this.forgetUpTo(position);
    return taken;
  }

  forgetUpTo(position: number): void {
    for (const known of this.#byPosition.keys()) if (known <= position) this.#byPosition.delete(known);
  }
}
