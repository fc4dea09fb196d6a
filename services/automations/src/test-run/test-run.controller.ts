import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type OperationInput, reject, testAutomation } from '@parley/contracts';
import type { Clock, SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  jsonReply,
  notFoundReply,
  READ_POOL,
  rejectedReply,
} from '@parley/service-kit';
import { DEFINITIONS, type Definitions } from '../engine/ports.ts';
import type { JsonValue } from '../json.ts';
import { RUN_STARTER, type RunStarter } from '../run/start-run.ts';
import { AutomationQueries } from '../views/automation-queries.ts';
import { dryRun } from './dry-run.ts';

@Controller()
export class TestRunController {
  readonly #clock: Clock;
  readonly #definitions: Definitions;
  readonly #queries: AutomationQueries;
  readonly #starter: RunStarter;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(DEFINITIONS) definitions: Definitions,
    @Inject(RUN_STARTER) starter: RunStarter,
    @Inject(READ_POOL) sql: SqlExecutor,
  ) {
    this.#clock = clock;
    this.#definitions = definitions;
    this.#queries = new AutomationQueries(sql);
    this.#starter = starter;
  }

  @CommandHandler(testAutomation)
  async test(
    @Payload() input: OperationInput<typeof testAutomation>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const row = await this.#queries.find(input.id);
    if (row?.accountId !== accountOf(message) || row.isDeleted) return notFoundReply();
    const definition = await this.#definitions.load(row.id, row.definitionVersion);
    if (!definition) return notFoundReply();
    // It was read from JSON.
    const sample = (input.sample ?? {}) as JsonValue;
    const now = (await this.#clock.now()).toISOString();
    const matches = definition.trigger.matches(sample, now);
    if (!input.confirm_side_effects)
      return jsonReply({ run_id: null, matches, steps: dryRun(definition, sample, now) });
    const started = await this.#starter.start({
      automationId: row.id,
      trigger: {
        type: definition.trigger.definition.type,
        // The same request, repeated, is the same run.
        eventId: `test:${message.commandId ?? message.correlationId}`,
        payload: sample,
      },
      chainDepth: 0,
      correlationId: message.correlationId,
    });
    if (started.kind === 'refused')
      return rejectedReply(
        reject('invalid', {
          fields: { confirm_side_effects: [`No run was started: ${started.reason.replaceAll('_', ' ')}.`] },
        }),
      );
    return jsonReply({ run_id: started.runId, matches, steps: [] });
  }
}
