import type { EventMetadata, EventStore, RecordedEvent } from '@parley/event-store';
import type { StandingTimers } from '../service-definition.ts';

const pageSize = 500;

/** Sets the timers of all of an account's streams; those that are set already are moved. */
export async function setStandingTimers(
  store: Pick<EventStore, 'append' | 'readAll'>,
  standing: StandingTimers,
  accountId: number,
  metadata: EventMetadata,
): Promise<void> {
  for (const event of await beginnings(store, standing, accountId)) {
    const timers = await standing.of(event);
    if (timers.length === 0) continue;
    const { streamId, category } = event;
    const about = { streamId, category, accountId, events: [], expectedVersion: 'any', metadata } as const;
    await store.append({ ...about, timers });
  }
}

/** By which each stream came to be as it is. */
async function beginnings(
  store: Pick<EventStore, 'readAll'>,
  { types, endedBy = [] }: StandingTimers,
  accountId: number,
): Promise<Iterable<RecordedEvent>> {
  const found = new Map<string, RecordedEvent>();
  const wanted = { limit: pageSize, types: [...types, ...endedBy], accountId };
  for (let after = 0; ; ) {
    const events = await store.readAll({ ...wanted, after });
    for (const event of events)
      if (types.includes(event.type)) found.set(event.streamId, event);
      else found.delete(event.streamId);
    const last = events.at(-1);
    if (!last) return found.values();
    after = last.position;
  }
}
