import { updateAssistant, updateKnowledgebase, updateLead } from '@parley/contracts';
import { defineResource, numberedStream, revertBy, type ServiceDefinition } from '@parley/service-kit';
import { assistant } from './assistant/assistant.ts';
import { describeAssistantEvent } from './assistant/describe.ts';
import { AssistantsModule } from './assistants.module.ts';
import { assistantsBackground } from './background.ts';
import { campaign } from './campaign/campaign.ts';
import { showCampaign } from './campaign/item.ts';
import { revertCampaign } from './campaign/revert-campaign.ts';
import { knowledgebase } from './knowledgebase/knowledgebase.ts';
import { isInCampaign } from './lead/in-campaign.ts';
import { showLead } from './lead/item.ts';
import { lead } from './lead/lead.ts';
import { leadImport, leadImportStreamOf, showLeadImport } from './lead-import/lead-import.ts';
import { showOrganiser } from './organisers/item.ts';
import { organiser } from './organisers/organiser.ts';
import { folderKind, labelKind } from './organisers/organiser-kind.ts';
import { assistantsView } from './views/assistants/assistants-view.ts';
import { campaignsView } from './views/campaigns/campaigns-view.ts';
import { knowledgebasesView } from './views/knowledgebases/knowledgebases-view.ts';
import { leadsView } from './views/leads/leads-view.ts';
import { foldersView, labelsView } from './views/organisers/organisers-view.ts';
import { webhookDeliveriesView } from './views/webhooks/webhook-deliveries-view.ts';
import { webhookResources } from './webhook-delivery/webhook-resources.ts';

export const assistantsService: ServiceDefinition = {
  name: 'assistants',
  module: AssistantsModule,
  projections: [
    foldersView,
    labelsView,
    assistantsView,
    knowledgebasesView,
    campaignsView,
    leadsView,
    webhookDeliveriesView,
  ],
  resources: [
    ...[folderKind, labelKind].map((kind) =>
      defineResource({
        name: kind.noun,
        streamOf: numberedStream(kind.noun),
        fold: organiser,
        show: (state) => showOrganiser(kind, state),
        revert: revertBy(kind.change),
      }),
    ),
    defineResource({
      name: 'assistant',
      streamOf: numberedStream('assistant'),
      fold: assistant,
      describe: describeAssistantEvent,
      revert: revertBy(updateAssistant),
    }),
    defineResource({
      name: 'knowledgebase',
      streamOf: numberedStream('knowledgebase'),
      fold: knowledgebase,
      revert: revertBy(updateKnowledgebase),
    }),
    defineResource({
      name: 'campaign',
      streamOf: numberedStream('campaign'),
      fold: campaign,
      show: showCampaign,
      revert: revertCampaign,
    }),
    defineResource({
      name: 'lead-import',
      streamOf: leadImportStreamOf,
      fold: leadImport,
      show: showLeadImport,
    }),
    defineResource({
      name: 'lead',
      streamOf: numberedStream('lead'),
      fold: lead,
      show: showLead,
      hasWhole: isInCampaign,
      revert: revertBy(updateLead),
    }),
    ...webhookResources,
  ],
  background: assistantsBackground,
};
