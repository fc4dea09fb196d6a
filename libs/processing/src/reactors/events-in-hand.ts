/** The events that reactors of this process are at, and since when. */
export class EventsInHand {
  /** By reactor: when each was begun, by the monotonic clock, the oldest first. */
  readonly #begun = new Map<string, Set<{ readonly at: number }>>();

  /** Returns what to call once it is done or given up. */
  begin(processor: string): () => void {
    const begun = this.#begun.get(processor) ?? new Set();
    this.#begun.set(processor, begun);
    const event = { at: performance.now() };
    begun.add(event);
    return () => begun.delete(event);
  }

  /** For how long the reactor has been at the event that it is at the longest, all attempts together; 0 when at none. */
  longestMs(processor: string): number {
    const [oldest] = this.#begun.get(processor) ?? [];
    return oldest === undefined ? 0 : performance.now() - oldest.at;
  }
}
