import type { EndpointFault, Rejection, VoiceWebhookEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Facts, refusedUrl } from '../assistant/facts.ts';
import type { VoiceWebhook } from './voice-webhook.ts';

export interface SetVoiceWebhook extends Pick<Facts, 'urlFault'> {
  readonly url: string | null;
}

interface Answer {
  readonly message: string;
  readonly data: VoiceWebhook;
}

/** Sets the URL, or with null takes it away; setting what is set succeeds without an event. */
export function setVoiceWebhook(
  state: VoiceWebhook,
  { url, ...facts }: SetVoiceWebhook,
): Decision<VoiceWebhookEvent, Answer> | Rejection {
  const refused = url === null ? undefined : refusedUrl('url', url, facts);
  if (refused) return refused;
  return {
    events: url === state.url ? [] : [{ type: 'VoiceWebhookSet', data: { url } }],
    reply: { message: 'Voice webhook updated successfully', data: { url } },
  };
}

/** Turns the webhook off because its URL takes no webhooks any more. Another URL, set meanwhile, stays. */
export const disableVoiceWebhook = (
  state: VoiceWebhook,
  { url, reason }: { readonly url: string; readonly reason: EndpointFault },
): Decision<VoiceWebhookEvent, object> => ({
  events: state.url === url ? [{ type: 'VoiceWebhookDisabled', data: { url, reason } }] : [],
  reply: {},
});
