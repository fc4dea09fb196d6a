import { setVoiceWebhook } from '@parley/contracts';
import { defineResource, numberedStream, type Resource, revertBy } from '@parley/service-kit';
import { describeVoiceWebhookEvent } from '../voice-webhook/describe.ts';
import { voiceWebhook, voiceWebhookCategory } from '../voice-webhook/voice-webhook.ts';
import { backfill, backfillCategory } from '../webhook-backfill/backfill.ts';
import { keysAnswer } from '../webhook-secret/rotate-webhook-secret.ts';
import { webhookSecret } from '../webhook-secret/webhook-secret.ts';
import { delivery, deliveryCategory, deliveryStream } from './delivery.ts';
import { describeDeliveryEvent } from './describe.ts';

/** What operators can look at: `webhook-delivery/msg_…`, and `voice-webhook/3` and `webhook-secret/3` of an account. */
export const webhookResources: readonly Resource[] = [
  defineResource({
    name: deliveryCategory,
    streamOf: (id) => (/^msg_[0-9a-f]{32}$/.test(id) ? deliveryStream(id) : undefined),
    fold: delivery,
    describe: describeDeliveryEvent,
    show: ({ status, attempts, failures, underWay, redirectedTo, backfillId }) => ({
      status,
      attempts,
      failures,
      under_way: underWay?.attempt ?? null,
      redirected_to: redirectedTo,
      is_replay: backfillId !== null,
    }),
  }),
  defineResource({
    name: backfillCategory,
    streamOf: (id) => (/^[1-9]\d{0,15}:\w+:\d{1,16}$/.test(id) ? `${backfillCategory}-${id}` : undefined),
    fold: backfill,
    show: (state) => state && { ...state },
  }),
  defineResource({
    name: voiceWebhookCategory,
    streamOf: numberedStream(voiceWebhookCategory),
    isOnePerAccount: true,
    fold: voiceWebhook,
    describe: describeVoiceWebhookEvent,
    revert: revertBy(setVoiceWebhook),
  }),
  defineResource({
    name: 'webhook-secret',
    streamOf: numberedStream('webhook-secret'),
    isOnePerAccount: true,
    fold: webhookSecret,
    show: (state) => state && { ...keysAnswer(state) },
  }),
];
