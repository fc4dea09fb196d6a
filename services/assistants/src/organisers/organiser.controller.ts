import { Controller, Inject, type Type } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type {
  createFolder,
  deleteFolder,
  listFolders,
  OperationDefinition,
  OperationInput,
  updateFolder,
} from '@parley/contracts';
import { Aggregates, createIdAllocator, type IdAllocator, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Projection } from '@parley/processing';
import {
  accountOf,
  CommandHandler,
  createResourceCommands,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
  textReply,
} from '@parley/service-kit';
import { createAssistantCounts } from '../views/organisers/count-assistants.ts';
import { createOrganiserLists } from '../views/organisers/list-organisers.ts';
import { createOrganiser } from './create-organiser.ts';
import { deleteOrganiser } from './delete-organiser.ts';
import { type Organiser, type OrganiserEvent, organiser } from './organiser.ts';
import { type OrganiserKind, streamOf } from './organiser-kind.ts';
import { updateOrganiser } from './update-organiser.ts';

interface OrganiserOperations {
  readonly create: OperationDefinition;
  readonly update: OperationDefinition;
  readonly remove: OperationDefinition;
  readonly list: OperationDefinition;
}

/** The controller of one kind of organiser; the operations of folders and labels have the same inputs. */
export function organiserController(
  kind: OrganiserKind,
  view: Projection,
  operations: OrganiserOperations,
): Type {
  @Controller()
  class OrganiserController {
    readonly #run: RunResourceCommand<Organiser, OrganiserEvent>;
    readonly #ids: IdAllocator;
    readonly #list: ReturnType<typeof createOrganiserLists>;
    readonly #countOf: (id: number) => Promise<number>;

    constructor(aggregates: Aggregates, @Inject(READ_POOL) pool: SqlExecutor) {
      this.#run = createResourceCommands(aggregates, {
        category: kind.noun,
        streamOf: (id) => streamOf(kind, id),
        fold: organiser,
      });
      this.#ids = createIdAllocator(pool, `${kind.noun}_ids`);
      this.#list = createOrganiserLists(pool, view);
      this.#countOf = createAssistantCounts(pool, view);
    }

    @CommandHandler(operations.create)
    async create(
      @Payload() input: OperationInput<typeof createFolder>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      const id = await this.#ids.next();
      const command = { ...input, id, accountId: accountOf(message) };
      return this.#run(id, message, (state) => createOrganiser(kind, state, command), { isNew: true });
    }

    @CommandHandler(operations.update)
    async update(
      @Payload() { id, ...change }: OperationInput<typeof updateFolder>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      const command = { ...change, accountId: accountOf(message), assistantsCount: await this.#countOf(id) };
      return this.#run(id, message, (state) => updateOrganiser(kind, state, command));
    }

    @CommandHandler(operations.remove)
    remove(
      @Payload() { id }: OperationInput<typeof deleteFolder>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      const command = { accountId: accountOf(message) };
      return this.#run(id, message, (state) => deleteOrganiser(kind, state, command));
    }

    @QueryHandler(operations.list)
    async list(
      @Payload() { page, per_page: perPage }: OperationInput<typeof listFolders>,
      @Ctx() { message }: BusContext,
    ): Promise<BusReply> {
      return textReply(await this.#list({ accountId: accountOf(message), page, perPage }));
    }
  }
  return OrganiserController;
}
