import type { WebhookDeliveryEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

const cancelledBecause = {
  turned_off: 'its endpoint was turned off',
  url_changed: 'its endpoint is elsewhere now',
  erased: 'the person it is about was erased',
} as const;

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeDeliveryEvent(recorded: RecordedEvent): string | undefined {
  // The stream of a delivery holds these events only.
  const { type, data } = recorded as RecordedEvent & WebhookDeliveryEvent;
  switch (type) {
    case 'WebhookAttemptFailed':
      return `Attempt ${data.attempt} failed. ${data.error}`;
    case 'WebhookCancelled':
      return `The webhook is no longer sent: ${cancelledBecause[data.reason]}.`;
    default:
      return undefined;
  }
}
