import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  disableConversationAi,
  enableConversationAi,
  getConversation,
  listConversations,
  type OperationInput,
} from '@parley/contracts';
import { Aggregates, type SqlExecutor } from '@parley/event-store';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  jsonReply,
  notFoundReply,
  Past,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import { findConversation, pageOfConversations, readConversation } from '../views/conversation-queries.ts';
import { conversation, conversationCategory, conversationStream } from './conversation.ts';
import { PastConversations } from './past-conversations.ts';
import { disableAi, enableAi } from './switch-ai.ts';

@Controller()
export class ConversationController {
  readonly #aggregates: Aggregates;
  readonly #past: Past;
  readonly #pastConversations: PastConversations;
  readonly #sql: SqlExecutor;

  constructor(
    aggregates: Aggregates,
    past: Past,
    pastConversations: PastConversations,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#past = past;
    this.#pastConversations = pastConversations;
    this.#sql = sql;
  }

  @CommandHandler(enableConversationAi)
  enable(
    @Payload() { uuid }: OperationInput<typeof enableConversationAi>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#switch(uuid, message, enableAi);
  }

  @CommandHandler(disableConversationAi)
  disable(
    @Payload() { uuid }: OperationInput<typeof disableConversationAi>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#switch(uuid, message, (state) => disableAi(state, 'request'));
  }

  @QueryHandler(listConversations)
  async list(
    @Payload() { cursor, per_page: perPage }: OperationInput<typeof listConversations>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return jsonReply(
      await pageOfConversations(this.#sql, { accountId: accountOf(message), cursor, perPage }),
    );
  }

  @QueryHandler(getConversation)
  async get(
    @Payload() { uuid, cursor, per_page: perPage, as_of: asOf }: OperationInput<typeof getConversation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const page = { accountId: accountOf(message), cursor, perPage };
    const moment = await this.#past.momentOf(asOf);
    if (moment && 'code' in moment) return rejectedReply(moment);
    const found = moment
      ? await this.#pastConversations.read(uuid, page, moment)
      : await readConversation(this.#sql, uuid, page);
    return found ? jsonReply(found) : notFoundReply();
  }

  async #switch(uuid: string, message: MessageContext, decide: typeof enableAi): Promise<BusReply> {
    const accountId = accountOf(message);
    const found = await findConversation(this.#sql, accountId, uuid);
    if (!found) return notFoundReply();
    const result = await this.#aggregates.execute({
      ...causeOf(message),
      streamId: conversationStream(found.id),
      category: conversationCategory,
      accountId,
      fold: conversation,
      decide,
    });
    return toReply(result);
  }
}
