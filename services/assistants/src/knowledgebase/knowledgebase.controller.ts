import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createKnowledgebase as creation,
  deleteKnowledgebase as deletion,
  getKnowledgebase,
  type KnowledgebaseEvent,
  listKnowledgebases,
  type OperationInput,
  type Rejection,
  updateKnowledgebase as update,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type Decision,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import { type BusReply, type MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  atExpectedVersion,
  CLOCK,
  CommandHandler,
  causeOf,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  textReply,
  toReply,
} from '@parley/service-kit';
import { createKnowledgebaseList, createKnowledgebaseReader } from '../views/knowledgebase-queries.ts';
import { createKnowledgebase } from './create-knowledgebase.ts';
import { deleteKnowledgebase } from './delete-knowledgebase.ts';
import {
  type Knowledgebase,
  knowledgebase,
  knowledgebaseCategory,
  knowledgebaseStream,
} from './knowledgebase.ts';
import { updateKnowledgebase } from './update-knowledgebase.ts';

@Controller()
export class KnowledgebaseController {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;
  readonly #ids: IdAllocator;
  readonly #read: ReturnType<typeof createKnowledgebaseReader>;
  readonly #list: ReturnType<typeof createKnowledgebaseList>;

  constructor(aggregates: Aggregates, @Inject(READ_POOL) pool: SqlExecutor, @Inject(CLOCK) clock: Clock) {
    this.#aggregates = aggregates;
    this.#clock = clock;
    this.#ids = createIdAllocator(pool, 'knowledgebase_ids');
    this.#read = createKnowledgebaseReader(pool);
    this.#list = createKnowledgebaseList(pool);
  }

  @CommandHandler(creation)
  async create(
    @Payload() input: OperationInput<typeof creation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const [id, now] = await Promise.all([this.#ids.next(), this.#clock.now()]);
    return this.#execute(id, message, (state) => createKnowledgebase(state, { ...input, id, now }), true);
  }

  @CommandHandler(update)
  async update(
    @Payload() { id, ...change }: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const command = { ...change, now: await this.#clock.now() };
    return this.#execute(id, message, (state) => updateKnowledgebase(state, command));
  }

  @CommandHandler(deletion)
  remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#execute(id, message, deleteKnowledgebase);
  }

  @QueryHandler(getKnowledgebase)
  async get(
    @Payload() { id }: OperationInput<typeof getKnowledgebase>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const found = await this.#read({ accountId: accountOf(message), id });
    if (!found) return notFoundReply();
    return { kind: 'ok', body: `{"data":${found.body}}`, version: found.version };
  }

  @QueryHandler(listKnowledgebases)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return textReply(`{"data":[${await this.#list(accountOf(message))}]}`);
  }

  async #execute<Reply>(
    id: number,
    message: MessageContext,
    decide: (state: Knowledgebase) => Decision<KnowledgebaseEvent, Reply> | Rejection,
    isNew = false,
  ): Promise<BusReply> {
    const result = await this.#aggregates.execute({
      ...causeOf(message),
      streamId: knowledgebaseStream(id),
      category: knowledgebaseCategory,
      accountId: accountOf(message),
      fold: knowledgebase,
      isNew,
      decide: atExpectedVersion(message, decide),
    });
    return toReply(result);
  }
}
