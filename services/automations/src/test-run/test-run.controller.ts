import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  type AutomationEvent,
  asWords,
  type OperationInput,
  reject,
  testAutomation,
} from '@parley/contracts';
import { Aggregates, type EventStore, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  createResourceCommands,
  EVENT_STORE,
  notFoundReply,
  READ_POOL,
  type RunResourceCommand,
  rejectedReply,
} from '@parley/service-kit';
import {
  type Automation,
  automation,
  automationCategory,
  automationStream,
} from '../automation/automation.ts';
import type { JsonValue } from '../json.ts';
import { knownReply } from '../known-reply.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { TEST_RUNS, type TestRuns } from './test-runs.ts';

@Controller()
export class TestRunController {
  readonly #aggregates: Aggregates;
  readonly #queries: AutomationQueries;
  readonly #run: RunResourceCommand<Automation, AutomationEvent>;
  readonly #store: EventStore;
  readonly #tests: TestRuns;

  constructor(
    aggregates: Aggregates,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(TEST_RUNS) tests: TestRuns,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#store = store;
    this.#run = createResourceCommands(aggregates, {
      category: automationCategory,
      streamOf: automationStream,
      fold: automation,
    });
    this.#queries = new AutomationQueries(sql);
    this.#tests = tests;
  }

  @CommandHandler(testAutomation)
  async test(
    @Payload() { id, sample = {}, confirm_side_effects: isReal }: OperationInput<typeof testAutomation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const known = await knownReply(this.#aggregates, message);
    if (known) return known;
    const row = await this.#queries.find(id);
    if (row?.accountId !== accountOf(message) || row.isDeleted) return notFoundReply();
    const trial = {
      automationId: id,
      version: row.definitionVersion,
      // The sample came as JSON.
      sample: sample as JsonValue,
      isReal: isReal ?? false,
    };
    const outcome = await this.#tests.try(trial, message);
    if (!outcome) return notFoundReply();
    if ('kind' in outcome) {
      const why = `No run was started: ${asWords(outcome.reason)}.`;
      return rejectedReply(reject('invalid', { fields: { confirm_side_effects: [why] } }));
    }
    // Nothing was done, and without an idempotency key nobody can ask for the same again.
    if (!trial.isReal && message.fingerprint === null)
      return { kind: 'ok', body: JSON.stringify(outcome), position: await this.#store.head() };
    // Recorded as the answer: the same key starts no other run, and gets the same answer.
    return this.#run(id, message, () => ({ events: [], reply: outcome }));
  }
}
