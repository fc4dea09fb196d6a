import { type BalanceEvent, formatMicros } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { Balance } from './balance.ts';

/** How much was moved and what for, in a line for people; undefined where the event's summary says all there is. */
export function describeBalanceEvent(recorded: RecordedEvent, { holds }: Balance): string | undefined {
  // A balance's stream holds these events only.
  const event = recorded as RecordedEvent & BalanceEvent;
  const amount = formatMicros(event.data.amount_micros);
  switch (event.type) {
    case 'BalanceToppedUp':
      return `${amount} was added: ${purposeOf(event.data)}`;
    case 'BalanceAdjusted':
      return `An operator corrected the balance by ${amount}: ${purposeOf(event.data)}`;
    case 'BalanceDebited':
      return `An operator took ${amount} off: ${purposeOf(event.data)}`;
    case 'BalanceReserved':
      return `${amount} was set aside: ${purposeOf(event.data)}`;
    case 'BalanceCaptured':
      return `${amount} of what was set aside was spent: ${purposeOf(event.data)}`;
    case 'BalanceReleased': {
      if (event.data.effect === 'barred') return undefined;
      // The event itself does not say what for.
      const hold = holds.get(event.data.hold_id);
      return `${amount} that was set aside is free again${hold ? `: ${purposeOf(hold)}` : '.'}`;
    }
    case 'BalanceRefunded':
      return `${amount} was given back: ${purposeOf(event.data)}`;
    default:
      event satisfies never;
      return undefined;
  }
}

const purposeOf = ({ description, reference = null }: { description: string; reference?: string | null }) =>
  reference === null ? description : `${description} (${reference})`;
