import type { BalanceEvent } from '@parley/contracts';
import type { EventStore, RecordedEvent } from '@parley/event-store';
import type { HoldPast } from './hold.ts';

const pageSize = 500;

/**
 * What became of a hold in the installation that its account came from: commands stay there, so only the events tell.
 * Looks through what was imported, which nothing comes before.
 */
export async function pastOfImportedHold(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
  holdId: string,
): Promise<HoldPast> {
  let past: HoldPast = { wasReserved: false, capturedMicros: null };
  // Most accounts were made here, which the first event shows.
  for (let from = 1, size = 1; ; from += size, size = pageSize) {
    const page = await store.readStream(streamId, { fromVersion: from, toVersion: from + size - 1 });
    const imported = page.filter(({ metadata }) => metadata.imported);
    for (const event of imported) past = after(past, event as RecordedEvent & BalanceEvent, holdId);
    if (imported.length < size) return past;
  }
}

function after(past: HoldPast, { type, data }: BalanceEvent, holdId: string): HoldPast {
  if (!('hold_id' in data) || data.hold_id !== holdId) return past;
  switch (type) {
    case 'BalanceCaptured':
      return { wasReserved: true, capturedMicros: data.amount_micros };
    case 'BalanceReserved':
    case 'BalanceRefunded':
      return { wasReserved: true, capturedMicros: null };
    default:
      return past;
  }
}
