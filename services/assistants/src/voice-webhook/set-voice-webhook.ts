import { type EndpointFault, invalidField, type Rejection, type VoiceWebhookEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { VoiceWebhook } from './voice-webhook.ts';

export interface SetVoiceWebhook {
  readonly url: string | null;
  /** What is wrong with a URL, as the rest of a sentence; null when nothing is. */
  readonly urlFault: (url: string) => string | null;
}

interface Answer {
  readonly message: string;
  readonly data: VoiceWebhook;
}

/** Setting what is set succeeds without an event. */
export function setVoiceWebhook(
  state: VoiceWebhook,
  { url, urlFault }: SetVoiceWebhook,
): Decision<VoiceWebhookEvent, Answer> | Rejection {
  const fault = url === null ? null : urlFault(url);
  if (fault !== null) return invalidField('url', `The url field ${fault}`);
  return {
    events: url === state.url ? [] : [{ type: 'VoiceWebhookSet', data: { url } }],
    reply: { message: 'Voice webhook updated successfully', data: { url } },
  };
}

/** Ours: the URL takes no webhooks any more. Another URL, set meanwhile, stays. */
export const disableVoiceWebhook = (
  state: VoiceWebhook,
  { url, reason }: { readonly url: string; readonly reason: EndpointFault },
): Decision<VoiceWebhookEvent, object> => ({
  events: state.url === url ? [{ type: 'VoiceWebhookDisabled', data: { url, reason } }] : [],
  reply: {},
});
