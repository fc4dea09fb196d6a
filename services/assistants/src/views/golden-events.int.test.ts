import { passedOverByViews } from '@parley/testing';
import { expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';

test('every event that was ever written changes the rows of a view that takes it, or is named here', async () => {
  const streams = {
    assistant: 'assistant-12',
    campaign: 'campaign-5',
    folder: 'folder-12',
    knowledgebase: 'knowledgebase-4',
    label: 'label-7',
    lead: 'lead-12',
    'webhook-delivery': 'webhook-delivery-msg_9b1c7f3e0d5a5c4e9a3c0c5a1f1f7d10',
  };
  expect(await passedOverByViews('assistants', assistantsService.projections, { streams })).toEqual([
    // They forget that an endpoint fails, which the golden events tell of another one.
    'webhook_deliveries: WebhookEnabled.v1',
    'webhook_deliveries: InboundWebhookEnabled.v1',
    // An attempt is shown with its outcome.
    'webhook_deliveries: WebhookAttemptStarted.v1',
  ]);
});
