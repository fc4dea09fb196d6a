import { InOrderBuffer, Nap } from '@parley/batching';
import type { RecordedEvent } from '@parley/event-store';
import type { EventSource, EventSubscription } from './event-source.ts';
import { pause } from './outages/backoff.ts';

export interface FollowOptions {
  readonly source: EventSource;
  readonly types: readonly string[];
  readonly after: number;
  readonly limit: number;
  /** How long at most to rely on being woken. */
  readonly pollMs: number;
  /** How long the next page forms after one that was read and not full, and led on; not at all when absent. */
  readonly restMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Gets the wanted events up to and including `to`, in order and each once; often none. */
  readonly handle: (events: readonly RecordedEvent[], to: number) => Promise<void>;
}

/** A page that fills no gap is read again after this. */
const gapRetryMs = 50;

/**
 * Follows a log from a position until the signal aborts: by pages while behind, then by live deliveries, and by a page
 * again whenever these leave a gap or a wake-up may have been lost. Rejects when `handle` or the source does.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { source, types, limit, pollMs, restMs = 0, signal, handle } = options;
  // While one event is handled, however long that takes, the log keeps the others: they may be as large as events are.
  const buffer = new InOrderBuffer<RecordedEvent>(options.after, limit);
  const nap = new Nap(signal);
  let position = options.after;
  let mayHaveMissed = true;
  let subscription: EventSubscription | undefined;

  async function advance(events: readonly RecordedEvent[], to: number): Promise<void> {
    const wanted = events.filter(({ type }) => types.includes(type));
    await handle(wanted, Math.max(to, position));
    position = Math.max(to, position);
    buffer.skipTo(position);
  }

  async function readPage(): Promise<void> {
    const before = position;
    mayHaveMissed = false;
    const { events, head, reached } = await source.read({ after: position, limit, types });
    await advance(events, reached);
    if (reached < head) mayHaveMissed = true;
    else if (position === before && buffer.hasGap) await nap.sleep(gapRetryMs);
    else if (position > before && restMs > 0) await pause(restMs, signal);
  }

  function onLive(events: readonly RecordedEvent[]): void {
    buffer.add(events);
    if (events.length === 0) mayHaveMissed = true;
    nap.wake();
  }

  try {
    while (!signal.aborted) {
      const live = buffer.take(limit);
      if (live.length > 0) {
        await advance(live, live.at(-1)?.position ?? position);
      } else if (mayHaveMissed || buffer.hasGap) {
        await readPage();
        if (subscription || mayHaveMissed) continue;
        subscription = source.subscribe(position, onLive, types);
        // What came between the page and the subscription was announced to nobody.
        mayHaveMissed = true;
      } else {
        const wasWoken = await nap.sleep(pollMs);
        if (!wasWoken) mayHaveMissed = true;
      }
    }
  } finally {
    await subscription?.close();
  }
}
