import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  disableWebhook as disable,
  disableInboundWebhook as disableInbound,
  enableWebhook as enable,
  enableInboundWebhook as enableInbound,
  type OperationInput,
  releaseAutomationWebhook as release,
} from '@parley/contracts';
import { Aggregates, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import { accountOf, CommandHandler, causeOf, jsonReply, READ_POOL } from '@parley/service-kit';
import type { z } from 'zod';
import { AssistantCommands } from '../assistant-commands.ts';
import { releaseWebhook } from './release-webhook.ts';
import { disableInboundWebhook, disableWebhook, enableInboundWebhook, enableWebhook } from './webhooks.ts';

/** Turns the webhooks about an assistant's calls on and off. */
@Controller()
export class WebhookController {
  readonly #aggregates: Aggregates;
  readonly #commands: AssistantCommands;
  readonly #sql: SqlExecutor;

  constructor(aggregates: Aggregates, commands: AssistantCommands, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#commands = commands;
    this.#sql = sql;
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

  @CommandHandler(release)
  async release(
    @Payload() { token_hash: tokenHash, but_for: butFor }: z.output<typeof release.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const parts = { aggregates: this.#aggregates, sql: this.#sql };
    const automation = { accountId: accountOf(message), tokenHash, butFor };
    return jsonReply({ assistants: await releaseWebhook(parts, automation, causeOf(message).metadata) });
  }
}
