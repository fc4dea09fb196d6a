import { type CallPermissionEvent, summaryOf } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describePermissionEvent(recorded: RecordedEvent): string | undefined {
  // A permission's stream holds these events only.
  const { type, data } = recorded as RecordedEvent & CallPermissionEvent;
  switch (type) {
    case 'CallPermissionAskFailed': {
      const code = data.code === null ? '' : `[${data.code}] `;
      return `${summaryOf(recorded)} ${code}${data.reason}`;
    }
    case 'CallPermissionAskUncertain':
      return `${summaryOf(recorded)} ${data.reason}`;
    default:
      return undefined;
  }
}
