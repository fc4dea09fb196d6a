import type { EventMetadata, EventStore } from '@parley/event-store';
import type { StandingTimers } from '../service-definition.ts';

const pageSize = 500;

/** Sets the timers of all of an account's streams; those that are set already are moved. */
export async function setStandingTimers(
  store: Pick<EventStore, 'append' | 'readAll'>,
  { types, of }: StandingTimers,
  accountId: number,
  metadata: EventMetadata,
): Promise<void> {
  for (let after = 0; ; ) {
    const events = await store.readAll({ after, limit: pageSize, types, accountId });
    for (const event of events) {
      const timers = await of(event);
      if (timers.length === 0) continue;
      const { streamId, category } = event;
      const about = { streamId, category, accountId, events: [], expectedVersion: 'any', metadata } as const;
      await store.append({ ...about, timers });
    }
    const last = events.at(-1);
    if (!last) return;
    after = last.position;
  }
}
