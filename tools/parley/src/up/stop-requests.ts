/** npm and a terminal each pass the same Ctrl-C on: signals within so many milliseconds count as one request. */
const oneRequestMs = 400;

export interface StopRequests {
  /** Aborted by the first request: stop in order. */
  readonly stop: AbortSignal;
  /** Aborted by the second: stop now. */
  readonly force: AbortSignal;
  dispose(): void;
}

/**
 * Listens for requests to stop: SIGINT, SIGTERM, SIGHUP, and the end of the parent process where it gave an IPC
 * channel.
 */
export function listenForStop(now: () => number = Date.now): StopRequests {
  const stop = new AbortController();
  const force = new AbortController();
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  const request = () => {
    const at = now();
    const isEcho = at - lastRequestAt < oneRequestMs;
    lastRequestAt = at;
    if (isEcho) return;
    if (stop.signal.aborted) force.abort();
    else stop.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, request);
  process.on('disconnect', request);
  process.channel?.unref();
  return {
    stop: stop.signal,
    force: force.signal,
    dispose() {
      for (const signal of signals) process.off(signal, request);
      process.off('disconnect', request);
    },
  };
}
