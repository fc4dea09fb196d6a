import type { BalanceEvent } from '@parley/contracts';
import type { EventStore, RecordedEvent } from '@parley/event-store';

export type ImportedEvent = RecordedEvent & BalanceEvent;

/** More than there is of one hold. */
const limit = 100;

/**
 * What the ledger that came from another installation says of one hold, or of what was booked by one reference, oldest first:
 * commands stay there, so only the events tell what they did.
 */
export const importedEvents = async (
  store: Pick<EventStore, 'readAll'>,
  streamId: string,
  importedKey: string,
): Promise<readonly ImportedEvent[]> =>
  (await store.readAll({ after: 0, limit, streamId, importedKey })) as ImportedEvent[];
