import type { RecordedEventMessage } from '@parley/contracts';

const maxBuffered = 10_000;

/** Puts events that come twice or in any order back into the log's order. Positions are dense, so a gap is seen at once. */
export class EventBuffer {
  readonly #events = new Map<number, RecordedEventMessage>();
  #position: number;

  constructor(after: number) {
    this.#position = after;
  }

  /** The last position taken out. */
  get position(): number {
    return this.#position;
  }

  /** Events are there, but not the next one. */
  get hasGap(): boolean {
    return this.#events.size > 0 && !this.#events.has(this.#position + 1);
  }

  /** Known positions are ignored; so is what does not fit in, since it can be read again as a gap. */
  add(event: RecordedEventMessage): void {
    if (event.position > this.#position && this.#events.size < maxBuffered)
      this.#events.set(event.position, event);
  }

  /** Takes out up to `limit` events that follow the last position without a gap. */
  take(limit: number): RecordedEventMessage[] {
    const taken: RecordedEventMessage[] = [];
    while (taken.length < limit) {
      const next = this.#events.get(this.#position + 1);
      if (!next) break;
      this.#position = next.position;
      this.#events.delete(next.position);
      taken.push(next);
    }
    return taken;
  }

  clear(): void {
    this.#events.clear();
  }
}
