/** Answers many keys at once, in the order asked. */
export type BatchLoad<K, V> = (keys: readonly K[]) => Promise<readonly V[]>;

interface Waiting<K, V> {
  readonly key: K;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What arrives together travels together: the calls of one event-loop tick share one `load`, and while it is in flight
 * the next batch forms. There is no timer, so a lone call waits for nothing. A failed load rejects exactly its own calls.
 */
export function createBatchLoader<K, V>(load: BatchLoad<K, V>, maxBatch = 256): (key: K) => Promise<V> {
  const waiting: Waiting<K, V>[] = [];
  let isScheduled = false;

  async function flush(): Promise<void> {
    const batch = waiting.splice(0, maxBatch);
    try {
      const values = await load(batch.map(({ key }) => key));
      if (values.length !== batch.length)
        throw new Error(`A batch of ${batch.length} keys got ${values.length} answers.`);
      for (const [index, value] of values.entries()) batch[index]?.resolve(value);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    isScheduled = false;
    if (waiting.length > 0) schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => void flush());
  }

  return (key) =>
    new Promise<V>((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      schedule();
    });
}
