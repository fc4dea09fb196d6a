import type { SenderEvent } from '@parley/contracts';
import type { AppendRequest, AppendResult, EventMetadata, EventStore, FiredTimer } from '@parley/event-store';
import { senderCategory, senderStream } from '../sender/sender.ts';
import { leaseTimer, type SyncedSender, type SyncScope, syncTimer } from './sync-timers.ts';

/** What is to be read at the chat platform, and why. */
export interface WantedReading {
  readonly scope: SyncScope;
  readonly synced: SyncedSender;
  readonly metadata: EventMetadata;
}

/** A reading under way. When its timer is moved meanwhile, another reading is wanted, whose result is newer. */
export interface Reading extends WantedReading {
  readonly lease: FiredTimer;
}

/** A reading that was started and came to nothing, because its process died or the platform did not answer. */
const leaseMs = 60_000;

/** Begins a reading; in place of the timer that fired, where one did. Undefined when that has fired or was moved. */
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

/** The same reading for another while; undefined when another one is wanted, or has begun. */
export const goOnReading = (store: EventStore, reading: Reading): Promise<Reading | undefined> =>
  beginReading(store, reading, { fired: reading.lease });

/** Ends it with what it found of the sender, as of its version; the next one comes after the interval. */
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

const appendOf = ({ synced, metadata }: WantedReading): AppendRequest => ({
  streamId: senderStream(synced.senderId),
  category: senderCategory,
  accountId: synced.accountId,
  events: [],
  expectedVersion: 'any',
  metadata,
});
