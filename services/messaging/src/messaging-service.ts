import type { ServiceDefinition } from '@parley/service-kit';
import { type MessagingConfig, messagingConfig } from './config.ts';
import { MessagingModule } from './messaging.module.ts';

/** Senders, templates, conversations and their messages, call permissions. */
export const messagingService: ServiceDefinition<MessagingConfig> = {
  name: 'messaging',
  module: MessagingModule,
  config: messagingConfig,
  projections: [],
  resources: [],
};
