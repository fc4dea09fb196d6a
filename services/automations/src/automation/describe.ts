import type { AutomationEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

const reasons = {
  chain_too_deep: 'more than eight runs, one after the other, led to it',
  payload_too_large: 'it holds more than a run may begin with',
  not_signed: 'it is not signed as the trigger wants it',
  connection_missing:
    'the connection that it is signed with was deleted, is of another kind, or cannot be read',
} as const;

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeAutomationEvent(recorded: RecordedEvent): string | undefined {
  // An automation's stream holds these events only.
  const { type, data } = recorded as RecordedEvent & AutomationEvent;
  switch (type) {
    case 'AutomationMomentsMissed': {
      const next =
        data.next_at === null ? 'There is no other moment.' : `The next one that counts is ${data.next_at}.`;
      return `The schedule’s moments from ${data.first_at} on were missed, and are not made up for. ${next}`;
    }
    case 'AutomationTriggerRefused':
      return `${data.trigger} (${data.event_id}) started no run: ${reasons[data.reason]}. Whatever else is refused for that within the hour is not listed.`;
    default:
      return undefined;
  }
}
