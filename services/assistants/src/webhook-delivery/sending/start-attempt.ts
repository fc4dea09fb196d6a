import type { WebhookDeliveryEvent, WebhookEndpoint } from '@parley/contracts';
import type { Delivery } from '../delivery.ts';

/** What is known when an attempt is to begin. */
export interface StartAttempt {
  /** The endpoint that the webhook was queued for. */
  readonly endpoint: WebhookEndpoint;
  /** Where webhooks of this endpoint go now; null while they are off. */
  readonly presentUrl: string | null;
  /** Whether the body is gone, because a person it is about was erased. */
  readonly isErased: boolean;
  /** When the attempt began that has not reported; null when there is none. */
  readonly interruptedSince: string | null;
}

/** What is to be done with a delivery. */
export type Start =
  /** Delivered, exhausted or cancelled: nothing is left to do. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'cancel'; readonly events: readonly WebhookDeliveryEvent[] }
  | {
      readonly kind: 'send';
      readonly attempt: number;
      readonly url: string;
      readonly events: readonly WebhookDeliveryEvent[];
    };

/**
 * Decides on the next attempt. The caller holds the delivery's lock, so no attempt is running: one that is under way by
 * the log was interrupted.
 */
export function startAttempt(state: Delivery, command: StartAttempt): Start {
  if (state.status !== 'pending') return { kind: 'settled' };
  const { endpoint, presentUrl, isErased } = command;
  const url = state.redirectedTo ?? endpoint.url;
  const interrupted = interruptedOf(state, command);
  if (isErased) return { kind: 'cancel', events: [...interrupted, erased] };
  if (presentUrl !== url) return { kind: 'cancel', events: [...interrupted, cancelled(presentUrl === null)] };
  const attempt = state.attempts + 1;
  const started: WebhookDeliveryEvent = { type: 'WebhookAttemptStarted', data: { attempt, url } };
  return { kind: 'send', attempt, url, events: [...interrupted, started] };
}

/** The event about an attempt that never reported; it may have gone to another URL than the next one. */
function interruptedOf(
  { underWay }: Delivery,
  { endpoint, interruptedSince }: StartAttempt,
): readonly WebhookDeliveryEvent[] {
  if (underWay === null || interruptedSince === null) return [];
  const { attempt, url } = underWay;
  const data = { attempt, started_at: interruptedSince, endpoint: { ...endpoint, url } };
  return [{ type: 'WebhookAttemptInterrupted', data }];
}

/** Cancels a delivery because its endpoint was turned off, or else because the endpoint has another URL. */
export const cancelled = (isOff: boolean): WebhookDeliveryEvent => ({
  type: 'WebhookCancelled',
  data: { reason: isOff ? 'turned_off' : 'url_changed' },
});

const erased: WebhookDeliveryEvent = { type: 'WebhookCancelled', data: { reason: 'erased' } };
