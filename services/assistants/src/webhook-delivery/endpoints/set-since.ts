import type { AssistantEvent, VoiceWebhookEvent, WebhookKind } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import { assistantStream } from '../../assistant/assistant.ts';
import { voiceWebhookStream } from '../../voice-webhook/voice-webhook.ts';
import type { EndpointName } from './endpoints.ts';

const settings: Readonly<Record<WebhookKind, readonly (AssistantEvent | VoiceWebhookEvent)['type'][]>> = {
  post_call: ['WebhookEnabled', 'WebhookDisabled'],
  inbound_call: ['InboundWebhookEnabled', 'InboundWebhookDisabled'],
  chatapp_voice: ['VoiceWebhookSet', 'VoiceWebhookDisabled'],
};

/**
 * Whether an endpoint was turned off or set after a position of the log. What was on its way there before that may be
 * about to be cancelled, even where the endpoint is on again.
 */
export async function wasSetSince(
  store: Pick<EventStore, 'readAll'>,
  accountId: number,
  { event, assistant_id }: EndpointName,
  position: number,
): Promise<boolean> {
  const streamId = assistant_id === null ? voiceWebhookStream(accountId) : assistantStream(assistant_id);
  const found = await store.readAll({ streamId, types: settings[event], after: position, limit: 1 });
  return found.length > 0;
}
