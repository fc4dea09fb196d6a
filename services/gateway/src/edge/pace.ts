import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/** How much of something long a client has to send, or to take, at least. */
export interface Pace {
  readonly bytesPerSecond: number;
  /** Over which it is looked at, in milliseconds. */
  readonly windowMs: number;
}

/**
 * Calls `cut` after the first window in which fewer bytes than that have `passed` (counted from anywhere). Ends when the
 * request has arrived, or the answer has left, or the connection is gone: then `onEnd` is called.
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
