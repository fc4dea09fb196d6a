import { createHash } from 'node:crypto';
import type { AssistantEvent, VoiceWebhookEvent, WebhookEndpoint, WebhookKind } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { wasNotSent } from '../../webhook-delivery/item.ts';
import type { RecordedDeliveryEvent } from './webhook-delivery-changes.ts';

/** Events that may tell something about an endpoint's health. */
export type RecordedHealthEvent =
  | RecordedDeliveryEvent
  | (RecordedEvent & (AssistantEvent | VoiceWebhookEvent));

/** What a batch of events comes to for the health of one endpoint. */
export interface HealthChange {
  readonly accountId: number | null;
  readonly endpoint: string;
  /** Whether what was known before counts no more, because a webhook arrived or the endpoint was set anew. */
  readonly isReset: boolean;
  /** When the first attempt failed after that, ISO 8601; null when none did. */
  readonly failingSince: string | null;
}

/**
 * Key of an endpoint's health: `post_call:12` or `chatapp_voice`, and its URL, since what fails late at an earlier URL
 * says nothing about the present one. The URL is hashed, as it may be longer than a key.
 */
export const endpointKey = ({ event, assistant_id, url }: WebhookEndpoint): string =>
  `${assistant_id === null ? event : `${event}:${assistant_id}`} ${createHash('sha256').update(url).digest('base64url')}`;

/** One change for each endpoint whose health a batch says something about. */
export function healthChanges(events: readonly RecordedHealthEvent[]): HealthChange[] {
  const changes = new Map<string, HealthChange>();
  for (const event of events) {
    const { accountId, recordedAt } = event;
    const sign = signOf(event);
    if (!sign) continue;
    const endpoint = endpointKey(sign.endpoint);
    const key = `${accountId} ${endpoint}`;
    const { isReset, failingSince } = changes.get(key) ?? { isReset: false, failingSince: null };
    changes.set(
      key,
      sign.isFailure
        ? { accountId, endpoint, isReset, failingSince: failingSince ?? recordedAt }
        : { accountId, endpoint, isReset: true, failingSince: null },
    );
  }
  return [...changes.values()];
}

interface Sign {
  readonly endpoint: WebhookEndpoint;
  readonly isFailure: boolean;
}

function signOf(event: RecordedHealthEvent): Sign | undefined {
  switch (event.type) {
    case 'WebhookAttemptFailed':
      return wasNotSent(event.data.error) ? undefined : { endpoint: event.data.endpoint, isFailure: true };
    case 'WebhookAttemptSucceeded':
      return { endpoint: event.data.endpoint, isFailure: false };
    case 'WebhookEnabled':
      return setAnew('post_call', assistantOf(event), event.data.webhook_url);
    case 'InboundWebhookEnabled':
      return setAnew('inbound_call', assistantOf(event), event.data.inbound_webhook_url);
    case 'VoiceWebhookSet':
      return event.data.url === null ? undefined : setAnew('chatapp_voice', null, event.data.url);
    default:
      return undefined;
  }
}

const setAnew = (event: WebhookKind, assistant_id: number | null, url: string): Sign => ({
  endpoint: { event, assistant_id, url },
  isFailure: false,
});

const assistantOf = ({ streamId }: RecordedEvent): number =>
  Number(streamId.slice(streamId.lastIndexOf('-') + 1));
