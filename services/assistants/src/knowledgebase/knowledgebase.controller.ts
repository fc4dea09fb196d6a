import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createKnowledgebase as creation,
  deleteKnowledgebase as deletion,
  getKnowledgebase,
  type KnowledgebaseEvent,
  listKnowledgebases,
  type OperationInput,
  updateKnowledgebase as update,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  createResourceCommands,
  itemReply,
  itemsReply,
  Past,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
} from '@parley/service-kit';
import {
  createKnowledgebaseList,
  createKnowledgebaseReader,
} from '../views/knowledgebases/knowledgebase-queries.ts';
import { createKnowledgebase } from './create-knowledgebase.ts';
import { deleteKnowledgebase } from './delete-knowledgebase.ts';
import {
  type Knowledgebase,
  knowledgebase,
  knowledgebaseCategory,
  knowledgebaseStream,
  toItem,
} from './knowledgebase.ts';
import { updateKnowledgebase } from './update-knowledgebase.ts';

@Controller()
export class KnowledgebaseController {
  readonly #past: Past;
  readonly #run: RunResourceCommand<Knowledgebase, KnowledgebaseEvent>;
  readonly #clock: Clock;
  readonly #ids: IdAllocator;
  readonly #read: ReturnType<typeof createKnowledgebaseReader>;
  readonly #list: ReturnType<typeof createKnowledgebaseList>;

  constructor(
    aggregates: Aggregates,
    past: Past,
    @Inject(READ_POOL) pool: SqlExecutor,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.#past = past;
    this.#run = createResourceCommands(aggregates, {
      category: knowledgebaseCategory,
      streamOf: knowledgebaseStream,
      fold: knowledgebase,
    });
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
    return this.#run(id, message, (state) => createKnowledgebase(state, { ...input, id, now }), {
      isNew: true,
    });
  }

  @CommandHandler(update)
  async update(
    @Payload() { id, ...change }: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const command = { ...change, now: await this.#clock.now() };
    return this.#run(id, message, (state) => updateKnowledgebase(state, command));
  }

  @CommandHandler(deletion)
  remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#run(id, message, deleteKnowledgebase);
  }

  @QueryHandler(getKnowledgebase)
  async get(
    @Payload() { id, as_of: asOf }: OperationInput<typeof getKnowledgebase>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (asOf !== undefined) {
      const past = { accountId, streamId: knowledgebaseStream(id), fold: knowledgebase };
      return this.#past.read(asOf, past, (state) => state && toItem(state));
    }
    return itemReply(await this.#read({ accountId, id }));
  }

  @QueryHandler(listKnowledgebases)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return itemsReply(await this.#list(accountOf(message)));
  }
}
