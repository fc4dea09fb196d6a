import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/** The least speed at which a client must send a large request or read a large answer. */
export interface Pace {
  readonly bytesPerSecond: number;
  /** Length of the windows over which the speed is measured, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Calls `cut` after the first window in which too few bytes came through; `passed` returns a running count of
 * bytes. Stops, and calls `onEnd`, when the message is complete or its connection is gone.
 */
export function keepPace(
  message: IncomingMessage | ServerResponse,
  passed: () => number,
  { bytesPerSecond, windowMs }: Pace,
  { cut, onEnd }: { readonly cut: () => void; readonly onEnd?: () => void },
): void {
  const least = (bytesPerSecond * windowMs) / 1000;
  let before = passed();
  const timer = setInterval(() => {
    const now = passed();
    if (now - before < least) {
      clearInterval(timer);
      cut();
    }
    before = now;
  }, windowMs);
  finished(message, () => {
    clearInterval(timer);
    onEnd?.();
  });
}
