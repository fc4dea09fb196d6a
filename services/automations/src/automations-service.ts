import type { ServiceDefinition } from '@parley/service-kit';
import { AutomationsModule } from './automations.module.ts';
import { type AutomationsConfig, automationsConfig } from './config.ts';

/** Automations and their runs. */
export const automationsService: ServiceDefinition<AutomationsConfig> = {
  name: 'automations',
  module: AutomationsModule,
  config: automationsConfig,
  projections: [],
  resources: [],
};
