import { updateConnection } from '@parley/contracts';
import { defineResource, numberedStream, revertBy, type ServiceDefinition } from '@parley/service-kit';
import { automationResource } from './automation/resource.ts';
import { AutomationsModule } from './automations.module.ts';
import { automationsBackground } from './background.ts';
import { type AutomationsConfig, automationsConfig } from './config.ts';
import { connectionCategory, keptConnection, showConnection } from './connections/connection.ts';
import { runResource } from './run/render/resource.ts';
import { automationsView } from './views/automations-view.ts';
import { connectionsView } from './views/connections-view.ts';
import { runsView } from './views/runs-view.ts';

/** Automations and their runs. */
export const automationsService: ServiceDefinition<AutomationsConfig> = {
  name: 'automations',
  module: AutomationsModule,
  config: automationsConfig,
  projections: [automationsView, connectionsView, runsView],
  resources: [
    automationResource,
    defineResource({
      name: connectionCategory,
      streamOf: numberedStream(connectionCategory),
      fold: keptConnection,
      show: (state) => state && showConnection(state),
      revert: revertBy(updateConnection),
    }),
    runResource,
  ],
  background: automationsBackground,
};
