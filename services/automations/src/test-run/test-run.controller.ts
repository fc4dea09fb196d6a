import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type OperationInput, reject, testAutomation } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  jsonReply,
  notFoundReply,
  READ_POOL,
  rejectedReply,
} from '@parley/service-kit';
import type { JsonValue } from '../json.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { TEST_RUNS, type TestRuns } from './test-runs.ts';

@Controller()
export class TestRunController {
  readonly #queries: AutomationQueries;
  readonly #tests: TestRuns;

  constructor(@Inject(TEST_RUNS) tests: TestRuns, @Inject(READ_POOL) sql: SqlExecutor) {
    this.#queries = new AutomationQueries(sql);
    this.#tests = tests;
  }

  @CommandHandler(testAutomation)
  async test(
    @Payload() { id, sample = {}, confirm_side_effects: isReal }: OperationInput<typeof testAutomation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const row = await this.#queries.find(id);
    if (row?.accountId !== accountOf(message) || row.isDeleted) return notFoundReply();
    const trial = {
      automationId: id,
      version: row.definitionVersion,
      // It was read from JSON.
      sample: sample as JsonValue,
      isReal: isReal ?? false,
    };
    const outcome = await this.#tests.try(trial, message);
    if (!outcome) return notFoundReply();
    if (!('kind' in outcome)) return jsonReply(outcome);
    const why = `No run was started: ${outcome.reason.replaceAll('_', ' ')}.`;
    return rejectedReply(reject('invalid', { fields: { confirm_side_effects: [why] } }));
  }
}
