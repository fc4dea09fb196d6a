/** One way to make events durable. */
export interface Variant {
  /** Where its events are counted. */
  readonly table: string;
  /** Appends for this long and says how many events it was told are durable. */
  measure(durationMs: number): Promise<number>;
}

/** `concurrency` loops, each with one append under way; how many were done. */
export async function closedLoop(
  durationMs: number,
  concurrency: number,
  once: () => Promise<void>,
): Promise<number> {
  const endsAt = performance.now() + durationMs;
  let done = 0;
  const loop = async () => {
    for (; performance.now() < endsAt; done++) await once();
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return done;
}
