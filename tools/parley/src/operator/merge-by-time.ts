/**
 * Several logs, each in the order of its times, as one. What was recorded in the same microsecond stays in the order of
 * the logs given.
 */
export async function* mergeByTime<T extends { readonly recorded_at: string }>(
  logs: readonly AsyncIterator<T>[],
): AsyncGenerator<T> {
  const next = await Promise.all(logs.map((log) => log.next()));
  for (;;) {
    let first: { readonly index: number; readonly event: T } | undefined;
    for (const [index, result] of next.entries()) {
      if (result.done) continue;
      if (!first || result.value.recorded_at < first.event.recorded_at)
        first = { index, event: result.value };
    }
    if (!first) return;
    yield first.event;
    const following = await logs[first.index]?.next();
    if (following) next[first.index] = following;
  }
}
