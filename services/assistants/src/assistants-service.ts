import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { AssistantsModule } from './assistants.module.ts';
import { organiser } from './organisers/organiser.ts';
import { folderKind, labelKind } from './organisers/organiser-kind.ts';
import { foldersView, labelsView } from './views/organisers-view.ts';

export const assistantsService: ServiceDefinition = {
  name: 'assistants',
  module: AssistantsModule,
  projections: [foldersView, labelsView],
  resources: [folderKind, labelKind].map(({ noun }) =>
    defineResource({ name: noun, streamOf: numberedStream(noun), fold: organiser }),
  ),
};
