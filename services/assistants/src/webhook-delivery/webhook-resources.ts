import { defineResource, numberedStream, type Resource } from '@parley/service-kit';
import { voiceWebhook, voiceWebhookCategory } from '../voice-webhook/voice-webhook.ts';
import { webhookSecret } from '../webhook-secret/webhook-secret.ts';
import { delivery, deliveryCategory, deliveryStream } from './delivery.ts';

/** What operators can look at: `webhook-delivery/msg_…`, and `voice-webhook/3` and `webhook-secret/3` of an account. */
export const webhookResources: readonly Resource[] = [
  defineResource({
    name: deliveryCategory,
    streamOf: (id) => (/^msg_[0-9a-f]{32}$/.test(id) ? deliveryStream(id) : undefined),
    fold: delivery,
  }),
  defineResource({
    name: voiceWebhookCategory,
    streamOf: numberedStream(voiceWebhookCategory),
    fold: voiceWebhook,
  }),
  defineResource({ name: 'webhook-secret', streamOf: numberedStream('webhook-secret'), fold: webhookSecret }),
];
