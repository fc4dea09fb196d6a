/** Answers many keys at once, in the order asked. */
export type BatchLoad<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

export interface BatchOptions<K> {
  /** At most so many keys in one load. */
  readonly maxBatch?: number;
  /** Whose a key is, equal for equal keys: of those that wait, each owner gets one into a batch in turn. */
  readonly ownerOf?: (key: K) => unknown;
}

/**
 * What arrives together travels together: the calls of one event-loop tick share one `load`, and while it is in flight
 * the next batch forms. There is no timer, so a lone call waits for nothing. Equal keys of a batch (as those of a `Map`)
 * are loaded once. A failed load rejects exactly its own calls.
 */
export function createBatchLoader<K, V>(
  load: BatchLoad<K, V>,
  { maxBatch = 256, ownerOf = () => null }: BatchOptions<K> = {},
): (key: K) => Promise<V> {
  /** What each owner waits for; who is first has its turn. */
  const waiting = new Map<unknown, Map<K, PromiseWithResolvers<V>>>();
  let isScheduled = false;

  function takeBatch(): [K, PromiseWithResolvers<V>][] {
    const batch: [K, PromiseWithResolvers<V>][] = [];
    // Whoever goes to the end is met there again.
    for (const [owner, line] of waiting) {
      const isAlone = waiting.size === 1;
      for (const entry of line.entries().take(isAlone ? maxBatch - batch.length : 1)) {
        batch.push(entry);
        line.delete(entry[0]);
      }
      waiting.delete(owner);
      if (line.size > 0) waiting.set(owner, line);
      if (batch.length === maxBatch) break;
    }
    return batch;
  }

  async function flush(): Promise<void> {
    const batch = takeBatch();
    try {
      const values = await load(batch.map(([key]) => key));
      if (values.length !== batch.length)
        throw new Error(`A batch of ${batch.length} keys got ${values.length} answers.`);
      for (const [index, value] of values.entries()) batch[index]?.[1].resolve(value);
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    isScheduled = false;
    if (waiting.size > 0) schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => void flush());
  }

  return (key) => {
    const owner = ownerOf(key);
    const line = waiting.get(owner) ?? new Map<K, PromiseWithResolvers<V>>();
    waiting.set(owner, line);
    const known = line.get(key);
    if (known) return known.promise;
    const asked = Promise.withResolvers<V>();
    line.set(key, asked);
    schedule();
    return asked.promise;
  };
}
