import type { WebhookDeliveryEvent, WebhookDeliveryStatus } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/**
 * One webhook on its way to one endpoint. It begins when the webhook is queued, which is an event of another stream
 * (`queueStream`); later events are in the delivery's own.
 */
export interface Delivery {
  readonly status: WebhookDeliveryStatus;
  /** Attempts begun so far, interrupted ones included. */
  readonly attempts: number;
  /** Failed attempts since it was queued or last asked for again, which tell its place in the schedule. */
  readonly failures: number;
  /** The attempt that has begun and not reported yet, and its URL; null when there is none. */
  readonly underWay: { readonly attempt: number; readonly url: string } | null;
  /** The URL of the last request to send it again; null when there was none: it goes where it was queued for. */
  readonly redirectedTo: string | null;
  /** The back-fill that has it sent again, so that it is marked as a replay; null when none does. */
  readonly backfillId: string | null;
}

export const deliveryCategory = 'webhook-delivery';
export const deliveryStream = (deliveryId: string): string => `${deliveryCategory}-${deliveryId}`;

export const delivery: Fold<Delivery, WebhookDeliveryEvent> = {
  initialState: {
    status: 'pending',
    attempts: 0,
    failures: 0,
    underWay: null,
    redirectedTo: null,
    backfillId: null,
  },
  evolve(state, event) {
    switch (event.type) {
      case 'WebhookAttemptStarted':
        return { ...state, attempts: event.data.attempt, underWay: event.data };
      case 'WebhookAttemptSucceeded':
        return { ...state, status: 'delivered', underWay: null };
      case 'WebhookAttemptFailed':
        return { ...state, failures: state.failures + 1, underWay: null };
      case 'WebhookAttemptInterrupted':
        return { ...state, underWay: null };
      case 'WebhookExhausted':
        return { ...state, status: 'exhausted' };
      case 'WebhookCancelled':
        return { ...state, status: 'cancelled' };
      case 'WebhookRedeliveryRequested':
        return { ...askedAgain(state, event.data.url), backfillId: null };
      case 'WebhookReplayRequested':
        return { ...askedAgain(state, event.data.url), backfillId: event.data.backfill_id };
      default:
        return state;
    }
  },
};

const askedAgain = (state: Delivery, url: string): Delivery => ({
  ...state,
  status: 'pending',
  failures: 0,
  redirectedTo: url,
});

/** What is needed beside the delivery's state to tell whether it is on its way. */
export interface OnItsWay {
  /** The URL that it was queued for. */
  readonly queuedUrl: string;
  /** Whether it has a timer. One that was imported has none: nobody goes on with it. */
  readonly isLookedAfter: boolean;
  /**
   * Whether its endpoint was turned off or set since it was queued or asked for: then it may be about to be cancelled.
   */
  readonly wasSetSince: boolean;
}

/**
 * Whether the delivery is about to be sent to this URL without being asked for again. One that waits for another try is
 * not: that may be a day away, however well the endpoint is by now.
 */
export const isOnItsWayTo = (
  { status, redirectedTo, failures, underWay }: Delivery,
  url: string,
  { queuedUrl, isLookedAfter, wasSetSince }: OnItsWay,
): boolean =>
  isLookedAfter &&
  !wasSetSince &&
  status === 'pending' &&
  url === (redirectedTo ?? queuedUrl) &&
  (failures === 0 || underWay !== null);
