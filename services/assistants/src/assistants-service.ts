import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { AssistantsModule } from './assistants.module.ts';
import { campaign } from './campaign/campaign.ts';
import { lead } from './lead/lead.ts';
import { organiser } from './organisers/organiser.ts';
import { folderKind, labelKind } from './organisers/organiser-kind.ts';
import { campaignsView } from './views/campaigns-view.ts';
import { leadsView } from './views/leads-view.ts';
import { foldersView, labelsView } from './views/organisers-view.ts';

export const assistantsService: ServiceDefinition = {
  name: 'assistants',
  module: AssistantsModule,
  projections: [foldersView, labelsView, campaignsView, leadsView],
  resources: [
    defineResource({ name: 'lead', streamOf: numberedStream('lead'), fold: lead }),
    ...[folderKind, labelKind].map(({ noun }) =>
      defineResource({ name: noun, streamOf: numberedStream(noun), fold: organiser }),
    ),
    defineResource({ name: 'campaign', streamOf: numberedStream('campaign'), fold: campaign }),
  ],
};
