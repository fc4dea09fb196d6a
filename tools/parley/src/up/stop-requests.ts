/** npm and a terminal each pass the same Ctrl-C on: signals within so many milliseconds count as one request. */
const oneRequestMs = 400;

export interface StopRequests {
  /** Aborted by the first request: stop in order. */
  readonly stop: AbortSignal;
  /** Aborted by the second: stop now. */
  readonly force: AbortSignal;
  dispose(): void;
}

/** Suspended (Ctrl-Z), nobody would read what Postgres logs: once the pipe is full it stands still, and all with it. */
const goOn = (): void => undefined;

/**
 * Listens for requests to stop: SIGINT, SIGTERM, SIGHUP, and the end of the parent process where it gave an IPC
 * channel. Meanwhile Ctrl-Z suspends nothing.
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
  process.on('SIGTSTP', goOn);
  process.on('disconnect', request);
  process.channel?.unref();
  return {
    stop: stop.signal,
    force: force.signal,
    dispose() {
      for (const signal of signals) process.off(signal, request);
      process.off('SIGTSTP', goOn);
      process.off('disconnect', request);
    },
  };
}
