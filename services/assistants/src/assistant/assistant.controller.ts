import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createAssistant as creation,
  deleteAssistant as deletion,
  getAssistant,
  labelAssistant as labelling,
  listAssistants,
  type OperationInput,
  updateAssistant as update,
} from '@parley/contracts';
import { type Clock, createIdAllocator, type IdAllocator, type SqlExecutor } from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  itemReply,
  Past,
  QueryHandler,
  READ_POOL,
  textReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import { createAssistantPages, createAssistantReader } from '../views/assistants/assistant-queries.ts';
import { isGone, pastAssistant, renderPast } from '../views/assistants/past-assistant.ts';
import { renderPage } from '../views/paginator.ts';
import { assistantStream, living } from './assistant.ts';
import { AssistantCommands } from './assistant-commands.ts';
import { createAssistant } from './create-assistant.ts';
import { deleteAssistant } from './delete-assistant.ts';
import { labelAssistant, withLabel } from './label-assistant.ts';
import { changed, settingsOf } from './settings.ts';
import { updateAssistant } from './update-assistant.ts';

@Controller()
export class AssistantController {
  readonly #past: Past;
  readonly #commands: AssistantCommands;
  readonly #clock: Clock;
  readonly #ids: IdAllocator;
  readonly #read: ReturnType<typeof createAssistantReader>;
  readonly #page: ReturnType<typeof createAssistantPages>;

  constructor(
    past: Past,
    commands: AssistantCommands,
    @Inject(READ_POOL) pool: SqlExecutor,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.#past = past;
    this.#commands = commands;
    this.#clock = clock;
    this.#ids = createIdAllocator(pool, 'assistant_ids');
    this.#read = createAssistantReader(pool);
    this.#page = createAssistantPages(pool);
  }

  @CommandHandler(creation)
  async create(
    @Payload() input: OperationInput<typeof creation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const id = await this.#ids.next();
    const command = { accountId: accountOf(message), id, uuid: randomUUID(), input };
    return this.#commands.execute(message, {
      id,
      isNew: true,
      settings: () => ({ before: null, after: settingsOf(input) }),
      decide: (state, facts) => createAssistant(state, command, facts),
    });
  }

  @CommandHandler(update)
  update(
    @Payload() { id, ...change }: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const command = { accountId: accountOf(message), change };
    return this.#commands.execute(message, {
      id,
      settings: (state) => {
        const before = living(state);
        return before && { before, after: changed(before, change) };
      },
      decide: (state, facts) => updateAssistant(state, command, facts),
    });
  }

  @CommandHandler(labelling)
  label(
    @Payload() { assistant_id: id, label_id: labelId }: z.output<typeof labelling.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    return this.#commands.execute(message, {
      id,
      settings: (state) => {
        const before = living(state);
        return before && { before, after: changed(before, withLabel(before, labelId)) };
      },
      decide: (state, facts) => labelAssistant(state, { accountId, labelId }, facts),
    });
  }

  @CommandHandler(deletion)
  async remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const command = { accountId: accountOf(message), now: await this.#clock.now() };
    return this.#commands.execute(message, { id, decide: (state) => deleteAssistant(state, command) });
  }

  @QueryHandler(getAssistant)
  async get(
    @Payload() { id, as_of: asOf }: OperationInput<typeof getAssistant>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (asOf !== undefined) {
      const past = { accountId, streamId: assistantStream(id), fold: pastAssistant };
      return this.#past.read(asOf, past, (assistant, _, moment) =>
        renderPast(assistant, async (streamId) => {
          const reference = await this.#past.load(moment, { accountId, streamId, fold: isGone });
          return reference?.state ?? false;
        }),
      );
    }
    return itemReply(await this.#read({ accountId, id }));
  }

  @QueryHandler(listAssistants)
  async list(
    @Payload() { page, per_page: perPage }: OperationInput<typeof listAssistants>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const rows = await this.#page({ accountId: accountOf(message), page, perPage });
    const url = `${message.baseUrl ?? ''}${listAssistants.path}`;
    return textReply(renderPage({ ...rows, url, page, perPage }));
  }
}
