import type { BalanceEvent } from '@parley/contracts';
import type { EventStore, RecordedEvent } from '@parley/event-store';

export type ImportedEvent = RecordedEvent & BalanceEvent;

/** More events than one hold or one reference ever has. */
const limit = 100;

/**
 * The imported events of an account's ledger with this key (a hold id or a booking's reference), oldest first. An
 * import brings no commands, so only the events tell what was done in the other installation.
 */
export const importedEvents = async (
  store: Pick<EventStore, 'readAll'>,
  streamId: string,
  importedKey: string,
): Promise<readonly ImportedEvent[]> =>
  (await store.readAll({ after: 0, limit, streamId, importedKey })) as ImportedEvent[];
