/** Answers many keys at once, in the order asked. */
export type BatchLoad<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

/**
 * What arrives together travels together: the calls of one event-loop tick share one `load`, and while it is in flight
 * the next batch forms. There is no timer, so a lone call waits for nothing. Equal keys of a batch (as those of a `Map`)
 * are loaded once. A failed load rejects exactly its own calls.
 */
export function createBatchLoader<K, V>(load: BatchLoad<K, V>, maxBatch = 256): (key: K) => Promise<V> {
  const waiting = new Map<K, PromiseWithResolvers<V>>();
  let isScheduled = false;

  async function flush(): Promise<void> {
    const batch = waiting.entries().take(maxBatch).toArray();
    for (const [key] of batch) waiting.delete(key);
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
    const known = waiting.get(key);
    if (known) return known.promise;
    const asked = Promise.withResolvers<V>();
    waiting.set(key, asked);
    schedule();
    return asked.promise;
  };
}
