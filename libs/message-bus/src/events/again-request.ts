import { randomUUID } from 'node:crypto';
import type { StreamTail } from './event-stream.ts';

/** An operator's wish that the publisher sends the log to JetStream again. */
export interface AgainRequest {
  /** A position of the log, the first that is sent. */
  readonly from: number;
  /** Called when the first of it is in the stream. */
  readonly onBegun: readonly (() => void)[];
}

/** The earlier wish and a new one as one: from the lower position on, and both callers are told when it begins. */
export const joined = (
  earlier: AgainRequest | undefined,
  from: number,
  onBegun: () => void,
): AgainRequest => ({
  from: Math.min(from, earlier?.from ?? from),
  onBegun: [...(earlier?.onBegun ?? []), onBegun],
});

/**
 * Where publishing goes on: behind the tail, or further back when the log is to be sent again. In that case the new
 * tail carries the mark, so that after a publisher has died the next one goes on with it.
 */
export function whereToGoOn(tail: StreamTail, again: AgainRequest | undefined): StreamTail {
  if (!again || again.from > tail.position) return tail;
  const until = Math.max(tail.position, tail.again?.until ?? 0);
  return { ...tail, position: again.from - 1, again: { mark: randomUUID(), until } };
}
