import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type AutomationDefinition,
  type AutomationEvent,
  type AutomationTrigger,
  createAutomation as creation,
  deleteAutomation as deletion,
  getAutomation,
  listAutomations,
  type OperationInput,
  updateAutomation as update,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type EventStore,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusClient, BusReply, MessageContext } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  BUS_CLIENT,
  CLOCK,
  CONFIG,
  CommandHandler,
  createResourceCommands,
  EVENT_STORE,
  jsonReply,
  notFoundReply,
  Past,
  QueryHandler,
  READ_POOL,
  type RunResourceCommand,
  rejectedReply,
} from '@parley/service-kit';
import { ACTIONS, type ActionModules } from '../actions/action-modules.ts';
import type { AutomationsConfig } from '../config.ts';
import { createConnections } from '../connections/connections.ts';
import { createSecretStore } from '../connections/secret-store.ts';
import type { CheckedDefinition } from '../definition/check-definition.ts';
import { type Checking, checkFlow } from '../definition/check-flow.ts';
import { DEFINITIONS, type Definitions } from '../engine/ports.ts';
import { knownReply } from '../known-reply.ts';
import { RUN_STARTER, type RunStarter } from '../run/advance/start-run.ts';
import { TEST_RUNS, type TestRuns } from '../test-run/test-runs.ts';
import { fireMomentsOf } from '../triggers/fire-schedule.ts';
import { WebhookTokens } from '../triggers/webhook-tokens.ts';
import { AutomationQueries, type AutomationRow } from '../views/automation-queries.ts';
import { afterSaving, answeringTo } from './after-saving.ts';
import { type Automation, automation, automationCategory, automationStream } from './automation.ts';
import { AutomationReader } from './automation-reader.ts';
import { createAutomation, deleteAutomation, updateAutomation } from './change-automation.ts';
import { flowOf } from './envelope.ts';
import { sinceNotes } from './since-notes.ts';
import { type Asking, bindingFault } from './webhook-binding.ts';

@Controller()
export class AutomationController {
  readonly #run: RunResourceCommand<Automation, AutomationEvent>;
  readonly #aggregates: Aggregates;
  readonly #asking: Asking;
  readonly #checking: Checking;
  readonly #clock: Clock;
  readonly #fireMoments: ReturnType<typeof fireMomentsOf>;
  readonly #ids: IdAllocator;
  readonly #queries: AutomationQueries;
  readonly #reader: AutomationReader;
  readonly #tokens: WebhookTokens;
  readonly #after: Parameters<typeof afterSaving>[0];

  constructor(
    aggregates: Aggregates,
    past: Past,
    @Inject(ACTIONS) actions: ActionModules,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) config: AutomationsConfig,
    @Inject(DEFINITIONS) definitions: Definitions,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(RUN_STARTER) starter: RunStarter,
    @Inject(TEST_RUNS) tests: TestRuns,
  ) {
    const run = createResourceCommands(aggregates, {
      category: automationCategory,
      streamOf: automationStream,
      fold: automation,
    });
    this.#run = async (id, message, ...command) => run(id, await sinceNotes(store, id, message), ...command);
    this.#aggregates = aggregates;
    this.#asking = { bus, allowLoopback: config.ALLOW_LOOPBACK_REQUESTS };
    this.#clock = clock;
    const secrets = createSecretStore(sql, config.SECRETS_KEYS);
    this.#checking = { actions, bus, connections: createConnections(aggregates, secrets) };
    this.#fireMoments = fireMomentsOf({ definitions, sql, starter, store });
    this.#ids = createIdAllocator(sql, 'automation_ids');
    this.#queries = new AutomationQueries(sql);
    this.#tokens = new WebhookTokens(secrets);
    this.#reader = new AutomationReader(past, this.#queries, this.#tokens);
    this.#after = {
      aggregates,
      bus,
      definitions,
      queries: this.#queries,
      run: this.#run,
      tests,
      tokens: this.#tokens,
    };
  }

  @CommandHandler(creation)
  async create(
    @Payload() input: OperationInput<typeof creation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const known = await knownReply(this.#aggregates, message);
    const isEnabled = input.enabled ?? true;
    return afterSaving(this.#after, known ?? (await this.#create(input, isEnabled, message)), input, {
      message,
      savedAs: (body) => ({ id: Number(body.automation_id), version: 1, isEnabled }),
    });
  }

  async #create(
    input: OperationInput<typeof creation>,
    isEnabled: boolean,
    message: MessageContext,
  ): Promise<BusReply> {
    const checked = await this.#check(flowOf(input), message);
    if (checked.kind === 'rejected') return rejectedReply(checked.rejection);
    const { definition } = checked;
    const fault = await bindingFault(this.#asking, message, input, definition.trigger);
    if (fault) return rejectedReply(fault);
    const [id, now] = await Promise.all([this.#ids.next(), this.#clock.now()]);
    const tokenHash = await this.#tokenHash(id, definition);
    const command = { id, name: input.name, definition, isEnabled, tokenHash, now };
    return this.#run(id, message, (state) => answeringTo(message, createAutomation(state, command)), {
      isNew: true,
    });
  }

  @CommandHandler(update)
  async update(
    @Payload() input: OperationInput<typeof update>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const known = await knownReply(this.#aggregates, message);
    return afterSaving(this.#after, known ?? (await this.#update(input, message)), input, {
      message,
      savedAs: (body) => {
        const { version, status } = (body as { data: { version: number; status: string } }).data;
        return { id: input.id, version, isEnabled: status === 'enabled' };
      },
    });
  }

  async #update(input: OperationInput<typeof update>, message: MessageContext): Promise<BusReply> {
    const { id, name, enabled } = input;
    // An automation that does not exist is not found, whatever else is wrong with the request.
    const row = await this.#queries.find(id);
    if (row?.accountId !== accountOf(message) || row.isDeleted) return notFoundReply();
    const checked = input.flow && (await this.#check(flowOf(input), message));
    if (checked?.kind === 'rejected') return rejectedReply(checked.rejection);
    const definition = checked?.definition;
    const trigger = definition?.trigger ?? (input.bind_webhook ? await this.#triggerOf(row) : undefined);
    const fault = trigger && (await bindingFault(this.#asking, message, input, trigger));
    if (fault) return rejectedReply(fault);
    const now = await this.#clock.now();
    if (definition && enabled !== false) await this.#fireMoments(id, now);
    const tokenHash = definition ? await this.#tokenHash(id, definition) : null;
    const assistantId = input.assistant_id ?? undefined;
    const change = { name, definition, isEnabled: enabled, assistantId, tokenHash, now };
    return this.#run(id, message, (state) => answeringTo(message, updateAutomation(state, change)));
  }

  @CommandHandler(deletion)
  async remove(
    @Payload() { id }: OperationInput<typeof deletion>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const now = await this.#clock.now();
    const reply = await this.#run(id, message, (state) => deleteAutomation(state, now));
    if (reply.kind === 'ok') await this.#tokens.forget(id);
    return reply;
  }

  @QueryHandler(listAutomations)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return jsonReply({ data: await this.#reader.list(accountOf(message)) });
  }

  @QueryHandler(getAutomation)
  get(
    @Payload() input: OperationInput<typeof getAutomation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#reader.get(input, message);
  }

  #check(flow: unknown, message: MessageContext): Promise<CheckedDefinition> {
    return checkFlow(this.#checking, flow, message);
  }

  async #triggerOf({ id, definitionVersion }: AutomationRow): Promise<AutomationTrigger | undefined> {
    return (await this.#after.definitions.load(id, definitionVersion))?.trigger.definition;
  }

  #tokenHash(id: number, { trigger }: AutomationDefinition): Promise<string | null> {
    return trigger.type === 'webhook.inbound' ? this.#tokens.issue(id) : Promise.resolve(null);
  }
}
