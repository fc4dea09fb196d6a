/** What the queue must know of an entry. */
export interface Queued {
  /** What two entries of a batch may not share. */
  readonly keys: readonly string[];
  /** Its stream, the version that it expects and the one that it leaves behind; NaN where any is fine. */
  readonly stream: { readonly id: string; readonly from: number; readonly to: number };
  readonly bytes: number;
}

export interface QueueLimits {
  readonly maxQueued: number;
  readonly maxQueuedBytes: number;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
}

const defaultQueueLimits: QueueLimits = {
  maxQueued: 10_000,
  maxQueuedBytes: 64 * 1024 * 1024,
  maxBatch: 256,
  maxBatchBytes: 1024 * 1024,
};

/**
 * Decides who travels together: as many entries as a batch holds, in order, no two of them sharing a key. Of one stream,
 * each begins where the one before it ends. An entry that does not fit waits for a later batch, and so does everything
 * behind it that shares a key or a stream with it.
 */
export class AppendQueue<T extends Queued> {
  #entries: T[] = [];
  #bytes = 0;
  readonly #limits: QueueLimits;

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { ...defaultQueueLimits, ...limits };
  }

  get size(): number {
    return this.#entries.length;
  }

  /** False when the queue is full; the entry is not in it then. */
  push(entry: T): boolean {
    const { maxQueued, maxQueuedBytes } = this.#limits;
    if (this.#entries.length >= maxQueued) return false;
    if (this.#entries.length > 0 && this.#bytes + entry.bytes > maxQueuedBytes) return false;
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    return true;
  }

  /** Puts entries back that were taken and could not be written, before everybody else, whatever the limits. */
  putBack(entries: readonly T[]): void {
    this.#entries = [...entries, ...this.#entries];
    for (const entry of entries) this.#bytes += entry.bytes;
  }

  takeBatch(): T[] {
    const { maxBatch, maxBatchBytes } = this.#limits;
    const batch: T[] = [];
    const later: T[] = [];
    const seen = new Set<string>();
    /** Where the batch leaves a stream; NaN once an entry of it waits. */
    const ends = new Map<string, number>();
    let bytes = 0;
    let scanned = 0;
    // A long queue on one hot stream is not searched to its end for every batch.
    const maxScanned = 4 * maxBatch;
    for (const entry of this.#entries) {
      if (batch.length >= maxBatch || scanned >= maxScanned) break;
      if (batch.length > 0 && bytes + entry.bytes > maxBatchBytes) break;
      scanned++;
      const { keys, stream } = entry;
      const isApart = ends.has(stream.id) && ends.get(stream.id) !== stream.from;
      const mustWait = isApart || keys.some((key) => seen.has(key));
      for (const key of keys) seen.add(key);
      ends.set(stream.id, mustWait ? Number.NaN : stream.to);
      if (mustWait) {
        later.push(entry);
        continue;
      }
      batch.push(entry);
      bytes += entry.bytes;
    }
    this.#entries =
      later.length === 0 && scanned === this.#entries.length
        ? []
        : [...later, ...this.#entries.slice(scanned)];
    this.#bytes -= bytes;
    return batch;
  }

  /** Takes out what was pushed first and meets the condition; stops at the first entry that does not. */
  removeFirst(isMet: (entry: T) => boolean): T[] {
    const first = this.#entries.findIndex((entry) => !isMet(entry));
    const removed = this.#entries.splice(0, first < 0 ? this.#entries.length : first);
    for (const { bytes } of removed) this.#bytes -= bytes;
    return removed;
  }
}
