import type { BalanceEvent } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { HoldPast } from './hold.ts';
import { importedEvents } from './imported-events.ts';

/** What the imported events tell about a hold: whether it was reserved, and what was captured and not refunded. */
export async function pastOfImportedHold(
  store: Pick<EventStore, 'readAll'>,
  streamId: string,
  holdId: string,
): Promise<HoldPast> {
  const events = await importedEvents(store, streamId, holdId);
  return events.reduce(after, { wasReserved: false, capturedMicros: null });
}

function after(past: HoldPast, { type, data }: BalanceEvent): HoldPast {
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
