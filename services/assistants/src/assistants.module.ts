import { Module } from '@nestjs/common';
import {
  createFolder,
  createLabel,
  deleteFolder,
  deleteLabel,
  listFolders,
  listLabels,
  updateFolder,
  updateLabel,
} from '@parley/contracts';
import { AssistantController } from './assistant/assistant.controller.ts';
import { AssistantCommands } from './assistant/assistant-commands.ts';
import { NumberAssignmentsController } from './assistant/numbers/number-assignments.controller.ts';
import { WebhookController } from './assistant/webhook/webhook.controller.ts';
import { CampaignController } from './campaign/campaign.controller.ts';
import { KnowledgebaseController } from './knowledgebase/knowledgebase.controller.ts';
import { LeadController } from './lead/lead.controller.ts';
import { LeadImportController } from './lead-import/lead-import.controller.ts';
import { organiserController } from './organisers/organiser.controller.ts';
import { folderKind, labelKind } from './organisers/organiser-kind.ts';
import { AttemptController } from './outreach/attempt/attempt.controller.ts';
import { foldersView, labelsView } from './views/organisers/organisers-view.ts';
import { VoiceWebhookController } from './voice-webhook/voice-webhook.controller.ts';
import { WebhookBackfillController } from './webhook-backfill/webhook-backfill.controller.ts';
import { WebhookDeliveryController } from './webhook-delivery/webhook-delivery.controller.ts';
import { WebhookSecretController } from './webhook-secret/webhook-secret.controller.ts';

@Module({
  controllers: [
    LeadController,
    LeadImportController,
    CampaignController,
    AttemptController,
    organiserController(folderKind, foldersView, {
      create: createFolder,
      update: updateFolder,
      remove: deleteFolder,
      list: listFolders,
    }),
    organiserController(labelKind, labelsView, {
      create: createLabel,
      update: updateLabel,
      remove: deleteLabel,
      list: listLabels,
    }),
    AssistantController,
    NumberAssignmentsController,
    WebhookController,
    KnowledgebaseController,
    VoiceWebhookController,
    WebhookBackfillController,
    WebhookDeliveryController,
    WebhookSecretController,
  ],
  providers: [AssistantCommands],
})
export class AssistantsModule {}
