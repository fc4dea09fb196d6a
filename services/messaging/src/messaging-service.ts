import { updateSender } from '@parley/contracts';
import { defineResource, numberedStream, revertBy, type ServiceDefinition } from '@parley/service-kit';
import { callPermissionBackground } from './call-permission/background.ts';
import { callPermission, permissionStreamOf } from './call-permission/call-permission.ts';
import { describePermissionEvent } from './call-permission/describe.ts';
import { showPermission } from './call-permission/render.ts';
import { type MessagingConfig, messagingConfig } from './config.ts';
import { conversation, showConversation } from './conversation/conversation.ts';
import { describeConversationEvent } from './conversation/describe.ts';
import { revertConversation } from './conversation/revert-conversation.ts';
import { message } from './message/message.ts';
import { showMessage } from './message/show.ts';
import { messageBackground } from './message-background.ts';
import { MessagingModule } from './messaging.module.ts';
import { createChatPlatform } from './platform/chat-platform.ts';
import { Assistants } from './sender/assistants.ts';
import { forgetDeletedAssistants } from './sender/forget-deleted-assistants.ts';
import { sender } from './sender/sender.ts';
import { showSender } from './sender/sender-item.ts';
import { startSync } from './sync/start-sync.ts';
import { syncTimers } from './sync/sync-timers.ts';
import { Synchroniser } from './sync/synchroniser.ts';
import { showTemplate, template } from './template/template.ts';
import { conversationsView } from './views/conversations-view.ts';
import { recipientsView } from './views/recipients-view.ts';
import { sendersView } from './views/senders-view.ts';
import { templatesView } from './views/templates-view.ts';

/** Senders, templates, conversations and their messages, call permissions. */
export const messagingService: ServiceDefinition<MessagingConfig> = {
  name: 'messaging',
  module: MessagingModule,
  config: messagingConfig,
  projections: [sendersView, templatesView, conversationsView, recipientsView],
  resources: [
    defineResource({
      name: 'sender',
      streamOf: numberedStream('sender'),
      fold: sender,
      show: showSender,
      revert: revertBy(updateSender),
    }),
    defineResource({
      name: 'conversation',
      streamOf: numberedStream('conversation'),
      fold: conversation,
      describe: describeConversationEvent,
      show: showConversation,
      revert: revertConversation,
    }),
    defineResource({
      name: 'message',
      streamOf: numberedStream('message'),
      fold: message,
      show: showMessage,
    }),
    defineResource({
      name: 'template',
      streamOf: numberedStream('template'),
      fold: template,
      show: showTemplate,
    }),
    defineResource({
      name: 'permission',
      streamOf: permissionStreamOf,
      fold: callPermission,
      describe: describePermissionEvent,
      show: showPermission,
    }),
  ],
  background(parts) {
    const { bus, closing, store, sql, config, logger, eventsOf } = parts;
    const platform = createChatPlatform(config);
    const sync = startSync(new Synchroniser({ store, sql, platform, logger }), logger);
    const messages = messageBackground({ bus, closing, config, logger, platform, sql, store });
    const permission = callPermissionBackground(parts);
    return {
      reactors: [
        ...forgetDeletedAssistants({
          assistants: new Assistants(bus),
          store,
          sql,
          source: eventsOf('assistants'),
        }),
        ...permission.reactors,
      ],
      timers: {
        ...sync.timers,
        ...messages.timers,
        ...permission.timers,
      },
      provided: messages.provided,
      standingTimers: [syncTimers],
      close: () => Promise.all([messages.close(), sync.close()]),
    };
  },
};
