import type {
  AssistantEvent,
  VoiceWebhookEvent,
  WebhookDeliveryEvent,
  WebhookEndpoint,
} from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import type { EndpointName } from '../webhook-delivery/endpoints.ts';

export type RecordedHealthEvent = RecordedEvent & (WebhookDeliveryEvent | AssistantEvent | VoiceWebhookEvent);

/** What a batch of events comes to for the health of one endpoint. */
export interface HealthChange {
  readonly accountId: number | null;
  readonly endpoint: string;
  /** What was known before counts no more: something arrived, or the endpoint was set anew. */
  readonly isReset: boolean;
  /** When the first attempt failed after that; null when none did. */
  readonly failingSince: string | null;
}

/** `post_call:12`, `chatapp_voice`. */
export const endpointKey = ({ event, assistant_id }: EndpointName): string =>
  assistant_id === null ? event : `${event}:${assistant_id}`;

export function healthChanges(events: readonly RecordedHealthEvent[]): HealthChange[] {
  const changes = new Map<string, HealthChange>();
  for (const event of events) {
    const { accountId, recordedAt } = event;
    const { endpoint, isFailure } = signOf(event) ?? {};
    if (endpoint === undefined) continue;
    const key = `${accountId} ${endpoint}`;
    const { isReset, failingSince } = changes.get(key) ?? { isReset: false, failingSince: null };
    changes.set(
      key,
      isFailure
        ? { accountId, endpoint, isReset, failingSince: failingSince ?? recordedAt }
        : { accountId, endpoint, isReset: true, failingSince: null },
    );
  }
  return [...changes.values()];
}

interface Sign {
  readonly endpoint: string;
  readonly isFailure: boolean;
}

function signOf(event: RecordedHealthEvent): Sign | undefined {
  switch (event.type) {
    case 'WebhookAttemptFailed':
      return ofAttempt(event.data.endpoint, true);
    case 'WebhookAttemptSucceeded':
      return ofAttempt(event.data.endpoint, false);
    case 'WebhookEnabled':
    case 'WebhookDisabled':
      return { endpoint: `post_call:${assistantOf(event)}`, isFailure: false };
    case 'InboundWebhookEnabled':
    case 'InboundWebhookDisabled':
      return { endpoint: `inbound_call:${assistantOf(event)}`, isFailure: false };
    case 'VoiceWebhookSet':
    case 'VoiceWebhookDisabled':
      return { endpoint: 'chatapp_voice', isFailure: false };
    default:
      return undefined;
  }
}

const ofAttempt = (endpoint: WebhookEndpoint, isFailure: boolean): Sign => ({
  endpoint: endpointKey(endpoint),
  isFailure,
});

const assistantOf = ({ streamId }: RecordedEvent): string => streamId.slice(streamId.lastIndexOf('-') + 1);
