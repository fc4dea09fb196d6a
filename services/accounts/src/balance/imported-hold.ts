import type { BalanceEvent } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { HoldPast } from './hold.ts';
import { importedEvents } from './imported-events.ts';

/** What became of a hold in the installation that its account came from. */
export async function pastOfImportedHold(
  store: Pick<EventStore, 'readStream'>,
  streamId: string,
  holdId: string,
): Promise<HoldPast> {
  let past: HoldPast = { wasReserved: false, capturedMicros: null };
  for await (const event of importedEvents(store, streamId)) past = after(past, event, holdId);
  return past;
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
