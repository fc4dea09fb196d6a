import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  disableWebhook as disable,
  disableInboundWebhook as disableInbound,
  enableWebhook as enable,
  enableInboundWebhook as enableInbound,
  type OperationInput,
} from '@parley/contracts';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { CommandHandler } from '@parley/service-kit';
import { AssistantCommands } from './assistant-commands.ts';
import { disableInboundWebhook, disableWebhook, enableInboundWebhook, enableWebhook } from './webhooks.ts';

/** Where an assistant tells about its calls. */
@Controller()
export class WebhookController {
  readonly #commands: AssistantCommands;

  constructor(commands: AssistantCommands) {
    this.#commands = commands;
  }

  @CommandHandler(enable)
  enable(
    @Payload() { assistant_id: id, webhook_url: url }: OperationInput<typeof enable>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#commands.execute(message, {
      id,
      decide: (state, facts) => enableWebhook(state, url, facts),
    });
  }

  @CommandHandler(disable)
  disable(
    @Payload() { assistant_id: id }: OperationInput<typeof disable>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#commands.execute(message, { id, decide: (state) => disableWebhook(state) });
  }

  @CommandHandler(enableInbound)
  enableInbound(
    @Payload() { assistant_id: id, webhook_url: url }: OperationInput<typeof enableInbound>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#commands.execute(message, {
      id,
      decide: (state, facts) => enableInboundWebhook(state, url, facts),
    });
  }

  @CommandHandler(disableInbound)
  disableInbound(
    @Payload() { assistant_id: id }: OperationInput<typeof disableInbound>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#commands.execute(message, { id, decide: (state) => disableInboundWebhook(state) });
  }
}
