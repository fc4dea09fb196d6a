import { Module } from '@nestjs/common';
import type { BusClient } from '@parley/message-bus';
import { AccountBalance, BUS_CLIENT, CONFIG } from '@parley/service-kit';
import { CallPermissionController } from './call-permission/call-permission.controller.ts';
import { CallPermissionReader } from './call-permission/call-permission-reader.ts';
import { ContactConversations } from './call-permission/contact-conversations.ts';
import { CustomerEvents } from './call-permission/customer-events.ts';
import { CallPermissionRequests } from './call-permission/requests.ts';
import { ChatCallbackController } from './callbacks/chat-callback.controller.ts';
import { CHAT_EVENT_HANDLERS, type ChatEventHandler } from './callbacks/chat-event-handler.ts';
import { ChatEvents } from './callbacks/chat-events.ts';
import { ContactNews } from './conversation/contact-news.ts';
import { ConversationController } from './conversation/conversation.controller.ts';
import { Conversations } from './conversation/conversations.ts';
import { PastConversations } from './conversation/past-conversations.ts';
import { SendPreview } from './message/draft/send-preview.ts';
import { Inbox } from './message/incoming/inbox.ts';
import { MessageController } from './message/message.controller.ts';
import { MessageLog } from './message/message-log.ts';
import { Handover } from './message/outgoing/handover.ts';
import { Outbox } from './message/outgoing/outbox.ts';
import { CHAT_PLATFORM, createChatPlatform } from './platform/chat-platform.ts';
import { Recipients } from './recipients/recipients.ts';
import { Assistants } from './sender/assistants.ts';
import { SenderController } from './sender/sender.controller.ts';
import { FirstReading } from './sync/first-reading.ts';
import { PastTemplates } from './template/past-templates.ts';
import { TemplateController } from './template/template.controller.ts';
import { Directory } from './views/directory.ts';
import { DirectoryAt } from './views/directory-at.ts';

@Module({
  controllers: [
    SenderController,
    TemplateController,
    ChatCallbackController,
    MessageController,
    ConversationController,
    CallPermissionController,
  ],
  providers: [
    {
      provide: AccountBalance,
      inject: [BUS_CLIENT],
      useFactory: (bus: BusClient) => new AccountBalance(bus, 'messaging'),
    },
    CallPermissionRequests,
    CallPermissionReader,
    ContactConversations,
    ContactNews,
    CustomerEvents,
    Assistants,
    ChatEvents,
    Conversations,
    Directory,
    DirectoryAt,
    FirstReading,
    Handover,
    Inbox,
    MessageLog,
    Outbox,
    PastConversations,
    PastTemplates,
    Recipients,
    SendPreview,
    { provide: CHAT_PLATFORM, inject: [CONFIG], useFactory: createChatPlatform },
    // The slices that act on the chat platform's events.
    {
      provide: CHAT_EVENT_HANDLERS,
      useFactory: (...handlers: ChatEventHandler[]) => handlers,
      inject: [Inbox, CustomerEvents, ContactNews],
    },
  ],
})
export class MessagingModule {}
