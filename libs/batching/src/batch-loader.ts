/** Loads the values of many keys at once: the result has one for each key, in the order of the keys. */
export type BatchLoad<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

export interface BatchOptions<K> {
  /** The most keys of one load; 256 when absent. */
  readonly maxBatch?: number;
  /** Whose a key is (equal keys have one owner): when not all fit into a batch, owners take turns, one key each. */
  readonly ownerOf?: (key: K) => unknown;
}

/**
 * Makes a function that loads one value, whose calls are batched: those of one event-loop tick share one `load`, and while
 * it is in flight the next batch forms. There is no timer, so a lone call does not wait. Keys that are equal as those of a
 * `Map` are loaded once per batch. A failed load rejects the calls of its own batch and no others.
 */
export function createBatchLoader<K, V>(
  load: BatchLoad<K, V>,
  { maxBatch = 256, ownerOf = () => null }: BatchOptions<K> = {},
): (key: K) => Promise<V> {
  /** The calls that wait, by owner; the first owner has the next turn. */
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
