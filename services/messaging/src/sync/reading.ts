import type { SenderEvent } from '@parley/contracts';
import type { AppendRequest, AppendResult, EventMetadata, EventStore, FiredTimer } from '@parley/event-store';
import { senderCategory, senderStream } from '../sender/sender.ts';
import { leaseTimer, type SyncedSender, type SyncScope, syncTimer } from './sync-timers.ts';

/** What is to be read at the chat platform: a sender's number or its templates, and the trace to record it under. */
export interface WantedReading {
  readonly scope: SyncScope;
  readonly synced: SyncedSender;
  readonly metadata: EventMetadata;
}

/**
 * A reading under way. `lease` is its timer: when that is moved meanwhile, a newer reading is wanted, and this one's
 * result is not recorded.
 */
export interface Reading extends WantedReading {
  readonly lease: FiredTimer;
}

/**
 * Milliseconds after which a reading is repeated that came to nothing: its process died, or the platform did not
 * answer.
 */
const leaseMs = 60_000;

/**
 * Begins a reading by setting its timer as its lease; `fired` is the timer that wanted it, if any. Undefined when that
 * timer was handled elsewhere or moved.
 */
export async function beginReading(
  store: EventStore,
  wanted: WantedReading,
  { fired, forMs = leaseMs }: { readonly fired?: FiredTimer; readonly forMs?: number },
): Promise<Reading | undefined> {
  const { scope, synced } = wanted;
  const dueAt = new Date((await store.now()).getTime() + forMs).toISOString();
  const timer = leaseTimer(scope, synced, dueAt);
  const result = await store.append({
    ...appendOf(wanted),
    ...(fired && { firesTimer: fired }),
    timers: [timer],
  });
  return result.kind === 'appended' ? { ...wanted, lease: { id: timer.id, dueAt } } : undefined;
}

/** Renews the lease of a reading; undefined when another reading is wanted or has begun. */
export const goOnReading = (store: EventStore, reading: Reading): Promise<Reading | undefined> =>
  beginReading(store, reading, { fired: reading.lease });

/**
 * Ends the reading: records the changes that it found, and sets the timer to the next reading. Appends nothing when the
 * lease was moved; conflicts when the sender's stream has grown beyond `expectedVersion`.
 */
export const endReading = (
  store: EventStore,
  reading: Reading,
  found: Partial<Pick<AppendRequest, 'expectedVersion'>> & { readonly events?: readonly SenderEvent[] } = {},
): Promise<AppendResult> =>
  store.append({
    ...appendOf(reading),
    ...found,
    firesTimer: reading.lease,
    timers: [syncTimer(reading.scope, reading.synced)],
  });

/** Ends the reading of a sender that is not connected any more: it is the last one. */
export const endReadings = (store: EventStore, reading: Reading): Promise<AppendResult> =>
  store.append({ ...appendOf(reading), firesTimer: reading.lease });

const appendOf = ({ synced, metadata }: WantedReading): AppendRequest => ({
  streamId: senderStream(synced.senderId),
  category: senderCategory,
  accountId: synced.accountId,
  events: [],
  expectedVersion: 'any',
  metadata,
});
