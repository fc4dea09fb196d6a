import { type AssistantEvent, type EndpointFault, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Assistant, living } from '../assistant.ts';
import { type Facts, refusedUrl } from '../facts.ts';

/** The answer of all these commands; the specification gives it an empty array. */
interface Done {
  readonly message: string;
  readonly data: readonly never[];
}
type Outcome = Decision<AssistantEvent, Done> | Rejection;

/** Turns the post-call webhook on; succeeds without an event when it is on with the same URL. */
export function enableWebhook(state: Assistant, url: string, facts: Pick<Facts, 'urlFault'>): Outcome {
  const present = living(state);
  if (!present) return reject('not_found');
  const refused = refusedUrl('webhook_url', url, facts);
  if (refused) return refused;
  const isOn = present.is_webhook_active && present.webhook_url === url;
  return done('Webhook enabled successfully', isOn, { type: 'WebhookEnabled', data: { webhook_url: url } });
}

/** Why a webhook is turned off: somebody asked for it, or its endpoint is at fault. */
type Reason = 'request' | EndpointFault;

/**
 * Turns the post-call webhook off and forgets its URL: turning it on again takes a new one (service-api, section 3).
 */
export function disableWebhook(state: Assistant, reason: Reason | 'released' = 'request'): Outcome {
  const present = living(state);
  if (!present) return reject('not_found');
  const isOff = !present.is_webhook_active && present.webhook_url === null;
  return done('Webhook disabled successfully', isOff, {
    type: 'WebhookDisabled',
    data: { webhook_url: null, reason },
  });
}

/** Turns the webhook of inbound calls on; succeeds without an event when it is on with the same URL. */
export function enableInboundWebhook(state: Assistant, url: string, facts: Pick<Facts, 'urlFault'>): Outcome {
  const present = living(state);
  if (!present) return reject('not_found');
  const refused = refusedUrl('webhook_url', url, facts);
  if (refused) return refused;
  return done('Inbound webhook enabled successfully', present.inbound_webhook_url === url, {
    type: 'InboundWebhookEnabled',
    data: { inbound_webhook_url: url },
  });
}

/** Turns the webhook of inbound calls off and forgets its URL; succeeds without an event when it is off. */
export function disableInboundWebhook(state: Assistant, reason: Reason = 'request'): Outcome {
  const present = living(state);
  if (!present) return reject('not_found');
  return done('Inbound webhook disabled successfully', present.inbound_webhook_url === null, {
    type: 'InboundWebhookDisabled',
    data: { reason },
  });
}

const done = (message: string, isSoAlready: boolean, event: AssistantEvent): Outcome => ({
  events: isSoAlready ? [] : [event],
  reply: { message, data: [] },
});
