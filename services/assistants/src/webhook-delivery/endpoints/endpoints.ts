import {
  type AssistantEvent,
  type EndpointFault,
  type Rejection,
  reject,
  type WebhookEndpoint,
  type WebhookKind,
} from '@parley/contracts';
import { type Aggregates, type Decision, type EventMetadata, mustBeDone } from '@parley/event-store';
import {
  type Assistant,
  assistant,
  assistantCategory,
  assistantStream,
  living,
} from '../../assistant/assistant.ts';
import { disableInboundWebhook, disableWebhook } from '../../assistant/webhook/webhooks.ts';
import { disableVoiceWebhook } from '../../voice-webhook/set-voice-webhook.ts';
import { voiceWebhook, voiceWebhookCategory, voiceWebhookStream } from '../../voice-webhook/voice-webhook.ts';

/** An endpoint without its URL. */
export type EndpointName = Omit<WebhookEndpoint, 'url'>;

/** What an assistant's webhooks are set to; a URL is null while the webhook is off. */
export interface AssistantWebhooks {
  readonly urls: Readonly<Record<Exclude<WebhookKind, 'chatapp_voice'>, string | null>>;
  readonly onlyOnCompleted: boolean;
  readonly includesRecording: boolean;
}

/** A wish to turn an endpoint off because of a fault. */
export interface TurnOff {
  readonly accountId: number;
  readonly endpoint: WebhookEndpoint;
  readonly fault: EndpointFault;
  readonly metadata: EventMetadata;
  /** Makes turning it off effective once. */
  readonly commandId: string;
}

/** The present settings of webhooks, folded to the newest event each time: what was turned off a moment ago is off. */
export class Endpoints {
  readonly #aggregates: Aggregates;

  constructor(aggregates: Aggregates) {
    this.#aggregates = aggregates;
  }

  /** Undefined for an assistant that the account does not have, or that was deleted. */
  async ofAssistant(accountId: number, assistantId: number): Promise<AssistantWebhooks | undefined> {
    const loaded = await this.#aggregates.load(assistantStream(assistantId), assistant);
    const state = loaded.accountId === accountId ? living(loaded.state) : null;
    if (!state) return undefined;
    return {
      urls: {
        post_call: state.is_webhook_active ? state.webhook_url : null,
        inbound_call: state.inbound_webhook_url,
      },
      onlyOnCompleted: state.send_webhook_only_on_completed,
      includesRecording: state.include_recording_in_webhook,
    };
  }

  /** Where webhooks of this endpoint go now; null while they are off. */
  async presentUrl(accountId: number, { event, assistant_id }: EndpointName): Promise<string | null> {
    if (event === 'chatapp_voice')
      return (await this.#aggregates.load(voiceWebhookStream(accountId), voiceWebhook)).state.url;
    if (assistant_id === null) return null;
    return (await this.ofAssistant(accountId, assistant_id))?.urls[event] ?? null;
  }

  /** Turns an endpoint off, unless it has another URL by now. */
  async turnOff({ accountId, endpoint, fault, metadata, commandId }: TurnOff): Promise<void> {
    const { event, assistant_id, url } = endpoint;
    const cause = { accountId, metadata, command: { commandId, fingerprint: null } };
    if (event === 'chatapp_voice') {
      const result = await this.#aggregates.execute({
        ...cause,
        streamId: voiceWebhookStream(accountId),
        category: voiceWebhookCategory,
        fold: voiceWebhook,
        decide: (state) => disableVoiceWebhook(state, { url, reason: fault }),
      });
      mustBeDone(result, voiceWebhookStream(accountId));
    } else if (assistant_id !== null) {
      const settingOf = (state: Assistant) =>
        event === 'post_call' ? state?.webhook_url : state?.inbound_webhook_url;
      const disable = event === 'post_call' ? disableWebhook : disableInboundWebhook;
      const result = await this.#aggregates.execute({
        ...cause,
        streamId: assistantStream(assistant_id),
        category: assistantCategory,
        fold: assistant,
        decide: (state: Assistant): Decision<AssistantEvent> | Rejection =>
          settingOf(state) === url ? disable(state, fault) : reject('not_found'),
      });
      mustBeDone(result, assistantStream(assistant_id), ['not_found']);
    }
  }
}
