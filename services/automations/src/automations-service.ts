import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { automation, automationCategory } from './automation/automation.ts';
import { AutomationsModule } from './automations.module.ts';
import { automationsBackground } from './background.ts';
import { type AutomationsConfig, automationsConfig } from './config.ts';
import { connectionCategory, keptConnection, showConnection } from './connections/connection.ts';
import { runResource } from './run/resource.ts';
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
    defineResource({
      name: automationCategory,
      streamOf: numberedStream(automationCategory),
      fold: automation,
    }),
    defineResource({
      name: connectionCategory,
      streamOf: numberedStream(connectionCategory),
      fold: keptConnection,
      show: (state) => state && showConnection(state),
    }),
    runResource,
  ],
  background: automationsBackground,
};
