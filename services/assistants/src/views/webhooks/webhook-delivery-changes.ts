import type { WebhookDeliveryEvent, WebhookDeliveryStatus, WebhookQueuedEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { deliveryStream } from '../../webhook-delivery/delivery.ts';
import { interruptedError, renderAttempt, timestampOf } from '../../webhook-delivery/item.ts';

export type RecordedDeliveryEvent = RecordedEvent & (WebhookQueuedEvent | WebhookDeliveryEvent);

/** What a batch of events comes to for one delivery. A field that is undefined is left as it is. */
export interface DeliveryChange {
  readonly id: string;
  /** Present when the batch itself queued it. */
  readonly queued?: RecordedEvent & WebhookQueuedEvent;
  readonly status?: WebhookDeliveryStatus;
  readonly url?: string;
  readonly nextAttemptAt?: string | null;
  /** Position in the log at which it was queued, or asked for again last. */
  readonly activePosition?: number;
  /** Rendered attempts, in order, which are added to those in the row. */
  readonly attempts: readonly string[];
}

/** One change per delivery, however many events a batch holds about it. */
export function deliveryChanges(events: readonly RecordedDeliveryEvent[]): DeliveryChange[] {
  const byId = new Map<string, DeliveryChange>();
  for (const event of events) {
    const id = event.type === 'WebhookQueued' ? event.data.delivery_id : idOf(event.streamId);
    const earlier = byId.get(id) ?? { id, attempts: [] };
    byId.set(id, { ...earlier, ...changeOf(event, earlier) });
  }
  return [...byId.values()];
}

const idOf = (streamId: string): string => streamId.slice(deliveryStream('').length);

function changeOf(event: RecordedDeliveryEvent, earlier: DeliveryChange): Partial<DeliveryChange> {
  switch (event.type) {
    case 'WebhookQueued':
      return {
        queued: event,
        status: 'pending',
        url: event.data.endpoint.url,
        nextAttemptAt: timestampOf(event.recordedAt),
        activePosition: event.position,
      };
    case 'WebhookRedeliveryRequested':
    case 'WebhookReplayRequested':
      return {
        status: 'pending',
        url: event.data.url,
        nextAttemptAt: timestampOf(event.recordedAt),
        activePosition: event.position,
      };
    case 'WebhookAttemptStarted':
      return {};
    case 'WebhookAttemptSucceeded':
      return { ...withAttempt(earlier, event.data, null), status: 'delivered', nextAttemptAt: null };
    case 'WebhookAttemptFailed': {
      const { error, retry_in_ms } = event.data;
      const next = retry_in_ms === null ? null : timestampOf(event.recordedAt, retry_in_ms);
      return { ...withAttempt(earlier, event.data, error), nextAttemptAt: next };
    }
    case 'WebhookAttemptInterrupted':
      return withAttempt(earlier, { ...event.data, duration_ms: null, status_code: null }, interruptedError);
    case 'WebhookExhausted':
      return { status: 'exhausted', nextAttemptAt: null };
    case 'WebhookCancelled':
      return { status: 'cancelled', nextAttemptAt: null };
    default:
      return event satisfies never;
  }
}

interface Attempt {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly status_code: number | null;
}

const withAttempt = (
  { attempts }: DeliveryChange,
  { attempt, started_at, duration_ms, status_code }: Attempt,
  error: string | null,
): Pick<DeliveryChange, 'attempts'> => ({
  attempts: [...attempts, renderAttempt({ attempt, at: started_at, duration_ms, status_code, error })],
});
