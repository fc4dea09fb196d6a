import { randomUUID } from 'node:crypto';
import type { createPostgresEventStore } from '@parley/event-store';
import { accounts, commandReply, eventData, metadata, newNumber, newStream } from './sample-event.ts';
import { closedLoop, type Variant } from './variant.ts';

/** Event, stream version, and the command with its answer. */
export const parleyVariant = (
  store: Awaited<ReturnType<typeof createPostgresEventStore>>,
  concurrency: number,
): Variant => ({
  table: 'es.events',
  measure: (durationMs) =>
    closedLoop(durationMs, concurrency, async () => {
      const id = newNumber();
      const { kind } = await store.append({
        streamId: newStream(),
        category: 'folder',
        accountId: id % accounts,
        events: [{ type: 'FolderCreated', data: eventData(id) }],
        expectedVersion: 0,
        metadata,
        command: { commandId: randomUUID(), fingerprint: '', reply: commandReply(`${id}`) },
      });
      if (kind !== 'appended') throw new Error(`An append ended as ${kind}.`);
    }),
});
