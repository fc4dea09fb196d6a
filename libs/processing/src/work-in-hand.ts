/** What is worked at: the position and id of an event, or the id of a timer. */
type Subject = Readonly<Record<string, string | number>>;

export interface Work {
  readonly subject: Subject;
  /** By the monotonic clock. */
  readonly since: number;
}

/** What reactors and timers of this process are at, and since when. */
export class WorkInHand {
  /** By processor, the oldest first. */
  readonly #begun = new Map<string, Set<Work>>();

  /** Returns what to call once it is done or given up. */
  begin(processor: string, subject: Subject): () => void {
    const begun = this.#begun.get(processor) ?? new Set();
    this.#begun.set(processor, begun);
    const work = { subject, since: performance.now() };
    begun.add(work);
    return () => begun.delete(work);
  }

  /** What the processor is at the longest, all attempts together; `undefined` when at nothing. */
  oldest(processor: string): Work | undefined {
    const [oldest] = this.#begun.get(processor) ?? [];
    return oldest;
  }
}
