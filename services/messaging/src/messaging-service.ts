import { defineResource, numberedStream, type ServiceDefinition } from '@parley/service-kit';
import { type MessagingConfig, messagingConfig } from './config.ts';
import { MessagingModule } from './messaging.module.ts';
import { createChatPlatform } from './platform/chat-platform.ts';
import { sender } from './sender/sender.ts';
import { startSync } from './sync/start-sync.ts';
import { Synchroniser } from './sync/synchroniser.ts';
import { template } from './template/template.ts';
import { sendersView } from './views/senders-view.ts';
import { templatesView } from './views/templates-view.ts';

/** Senders, templates, conversations and their messages, call permissions. */
export const messagingService: ServiceDefinition<MessagingConfig> = {
  name: 'messaging',
  module: MessagingModule,
  config: messagingConfig,
  projections: [sendersView, templatesView],
  resources: [
    defineResource({ name: 'sender', streamOf: numberedStream('sender'), fold: sender }),
    defineResource({ name: 'template', streamOf: numberedStream('template'), fold: template }),
  ],
  background({ store, pool, config, logger }) {
    const platform = createChatPlatform(config);
    const sync = startSync(new Synchroniser({ store, sql: pool, platform, logger }), logger);
    return { timers: sync.timers, close: sync.close };
  },
};
