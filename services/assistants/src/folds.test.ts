import { givenAndUnknown, golden, passedOver } from '@parley/testing';
import { expect, test } from 'vitest';
import { assistant } from './assistant/assistant.ts';
import { campaign } from './campaign/campaign.ts';
import { knowledgebase } from './knowledgebase/knowledgebase.ts';
import { lead } from './lead/lead.ts';
import { leadImport } from './lead-import/lead-import.ts';
import { organiser } from './organisers/organiser.ts';
import { voiceWebhook } from './voice-webhook/voice-webhook.ts';
import { backfill } from './webhook-backfill/backfill.ts';
import { delivery } from './webhook-delivery/delivery.ts';
import { webhookSecret } from './webhook-secret/webhook-secret.ts';

test.each([
  ['an assistant', () => givenAndUnknown(assistant, ...golden<never>('AssistantCreated.v1'))],
  ['a back-fill', () => givenAndUnknown(backfill, ...golden<never>('WebhookBackfillRequested.v1'))],
  ['a campaign', () => givenAndUnknown(campaign, ...golden<never>('CampaignCreated.v1'))],
  ['a delivery', () => givenAndUnknown(delivery, ...golden<never>('WebhookAttemptStarted.v1'))],
  ['a folder', () => givenAndUnknown(organiser, ...golden<never>('FolderCreated.v1'))],
  ['an import', () => givenAndUnknown(leadImport, ...golden<never>('LeadImportStarted.v1'))],
  ['a knowledgebase', () => givenAndUnknown(knowledgebase, ...golden<never>('KnowledgebaseCreated.v1'))],
  ['a lead', () => givenAndUnknown(lead, ...golden<never>('LeadCreated.v1'))],
  ['a secret', () => givenAndUnknown(webhookSecret, ...golden<never>('WebhookSecretCreated.v1'))],
  ['a webhook of calls', () => givenAndUnknown(voiceWebhook, ...golden<never>('VoiceWebhookSet.v1'))],
])('%s stays as it is when a later release writes what this one does not know', (_, folded) => {
  const { state, after } = folded();
  expect(state).not.toBeNull();
  expect(after).toEqual(state);
});

test('every event that was ever written means something to the fold of its stream, or is named here', () => {
  const folds = {
    assistant,
    campaign,
    folder: organiser,
    knowledgebase,
    label: organiser,
    lead,
    'lead-import': leadImport,
    'voice-webhook': voiceWebhook,
    'webhook-backfill': backfill,
    'webhook-delivery': delivery,
    'webhook-secret': webhookSecret,
  };
  // Numbers webhooks in the order of their events; no decision looks back at it.
  expect(passedOver('assistants', folds)).toEqual(['WebhookQueued.v1']);
});
