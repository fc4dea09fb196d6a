import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  explainAutomationRetry,
  listAutomationRuns,
  type OperationInput,
  retryAutomationRun,
} from '@parley/contracts';
import { Aggregates, type EventStore, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CommandHandler,
  causeOf,
  EVENT_STORE,
  jsonReply,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  rejectedReply,
} from '@parley/service-kit';
import { DEFINITIONS, type Definitions } from '../engine/ports.ts';
import { Retries } from '../engine/retries.ts';
import { newestRuns } from '../views/run-queries.ts';
import { renderExplanation, renderRun } from './render.ts';

@Controller()
export class RunController {
  readonly #definitions: Definitions;
  readonly #retries: Retries;
  readonly #sql: SqlExecutor;

  constructor(
    aggregates: Aggregates,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(DEFINITIONS) definitions: Definitions,
  ) {
    this.#definitions = definitions;
    this.#retries = new Retries({ aggregates, definitions, store });
    this.#sql = sql;
  }

  @QueryHandler(listAutomationRuns)
  async list(
    @Payload() { id, run_id: runId, limit }: OperationInput<typeof listAutomationRuns>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (runId === undefined) {
      const standing = await this.#definitions.standing(id);
      if (standing?.accountId !== accountId || standing.status === 'deleted') return notFoundReply();
      return jsonReply({ runs: await newestRuns(this.#sql, id, limit) });
    }
    const judged = await this.#retries.judge(accountId, id, runId);
    if ('code' in judged) return rejectedReply(judged);
    const { loaded, now, judgement, definition } = judged;
    return jsonReply({ run: renderRun(loaded.run, now, judgement, definition) });
  }

  @QueryHandler(explainAutomationRetry)
  async explain(
    @Payload() { id, run_id: runId }: OperationInput<typeof explainAutomationRetry>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const judged = await this.#retries.judge(accountOf(message), id, runId);
    if ('code' in judged) return rejectedReply(judged);
    return jsonReply(renderExplanation(judged.loaded.run, judged.judgement));
  }

  @CommandHandler(retryAutomationRun)
  retry(
    @Payload() { id, run_id: runId }: OperationInput<typeof retryAutomationRun>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#retries.retry(accountOf(message), id, runId, causeOf(message));
  }
}
