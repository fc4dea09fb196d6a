import { Module } from '@nestjs/common';
import { CONFIG } from '@parley/service-kit';
import { ChatCallbackController } from './callbacks/chat-callback.controller.ts';
import { CHAT_EVENT_HANDLERS, type ChatEventHandler } from './callbacks/chat-event-handler.ts';
import { ChatEvents } from './callbacks/chat-events.ts';
import { CHAT_PLATFORM, createChatPlatform } from './platform/chat-platform.ts';
import { Assistants } from './sender/assistants.ts';
import { SenderController } from './sender/sender.controller.ts';
import { FirstReading } from './sync/first-reading.ts';
import { TemplateController } from './template/template.controller.ts';
import { Directory } from './views/directory.ts';

@Module({
  controllers: [SenderController, TemplateController, ChatCallbackController],
  providers: [
    Assistants,
    ChatEvents,
    Directory,
    FirstReading,
    { provide: CHAT_PLATFORM, inject: [CONFIG], useFactory: createChatPlatform },
    // A slice that acts on what the platform tells is injected here and stands in the list.
    { provide: CHAT_EVENT_HANDLERS, useFactory: (...handlers: ChatEventHandler[]) => handlers, inject: [] },
  ],
})
export class MessagingModule {}
