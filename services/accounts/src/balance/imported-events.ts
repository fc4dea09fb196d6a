import type { BalanceEvent } from '@parley/contracts';
import type { EventStore, RecordedEvent } from '@parley/event-store';

const pageSize = 500;

export type ImportedEvent = RecordedEvent & BalanceEvent;

/**
 * What a ledger came with from the installation that its account was in before: commands stay there, so only the events
 * tell what they did. Nothing comes before them.
 */
export async function* importedEvents(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
): AsyncGenerator<ImportedEvent, void> {
  // Most accounts were made here, which the first event shows.
  for (let from = 1, size = 1; ; from += size, size = pageSize) {
    const page = await store.readStream(streamId, { fromVersion: from, toVersion: from + size - 1 });
    const imported = page.filter(({ metadata }) => metadata.imported);
    yield* imported as ImportedEvent[];
    if (imported.length < size) return;
  }
}
