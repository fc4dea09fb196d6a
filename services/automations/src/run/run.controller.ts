import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  explainAutomationRetry,
  invalidField,
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
  Past,
  type PastMoment,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  textReply,
} from '@parley/service-kit';
import { DEFINITIONS, type Definitions } from '../engine/ports.ts';
import { Retries, runNotFound } from '../engine/retries.ts';
import { RunLog } from '../engine/run-log.ts';
import { type ChosenRuns, createRunLists, listChosenRuns, type NewestRuns } from '../views/list-runs.ts';
import { runsStartedBy } from '../views/run-queries.ts';
import { renderExplanation, renderRun, summarise } from './render/render.ts';

const notOfThePast = invalidField('as_of', 'The as of field cannot be combined with status or before.');

@Controller()
export class RunController {
  readonly #past: Past;
  readonly #log: RunLog;
  readonly #retries: Retries;
  readonly #newest: (wanted: NewestRuns) => Promise<string | null>;
  readonly #sql: SqlExecutor;

  constructor(
    aggregates: Aggregates,
    past: Past,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(DEFINITIONS) definitions: Definitions,
  ) {
    this.#past = past;
    this.#log = new RunLog(store);
    this.#retries = new Retries({ aggregates, definitions, store });
    this.#newest = createRunLists(sql);
    this.#sql = sql;
  }

  @QueryHandler(listAutomationRuns)
  async list(
    @Payload() {
      id,
      run_id: runId,
      limit,
      status,
      before,
      as_of: asOf,
    }: OperationInput<typeof listAutomationRuns>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const past = await this.#past.momentOf(asOf);
    if (past && 'code' in past) return rejectedReply(past);
    if (runId === undefined) {
      const wanted = { accountId, automationId: id, limit };
      const isChosen = status !== undefined || before !== undefined;
      if (past && isChosen) return rejectedReply(notOfThePast);
      if (past) return this.#listAt(wanted, past);
      if (isChosen) return this.#listChosen({ ...wanted, status, before });
      const body = await this.#newest(wanted);
      return body === null ? notFoundReply() : textReply(body);
    }
    const judged = await this.#retries.judge(accountId, id, runId, past);
    if ('code' in judged) return rejectedReply(judged);
    const { loaded, now, judgement, definition } = judged;
    return jsonReply({ run: renderRun(loaded.run, now, judgement, definition) });
  }

  @QueryHandler(explainAutomationRetry)
  async explain(
    @Payload() { id, run_id: runId, as_of: asOf }: OperationInput<typeof explainAutomationRetry>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const past = await this.#past.momentOf(asOf);
    if (past && 'code' in past) return rejectedReply(past);
    const judged = await this.#retries.judge(accountOf(message), id, runId, past);
    if ('code' in judged) return rejectedReply(judged);
    const { definition, isUnderWay, judgement, loaded, now } = judged;
    const recorded = await this.#log.historyOf(loaded);
    const evidence = { now, isUnderWay, hasDefinition: definition !== undefined, recorded };
    return jsonReply(renderExplanation(loaded.run, judgement, evidence));
  }

  @CommandHandler(retryAutomationRun)
  retry(
    @Payload() { id, run_id: runId }: OperationInput<typeof retryAutomationRun>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    return this.#retries.retry(accountOf(message), id, runId, causeOf(message));
  }

  async #listChosen(wanted: ChosenRuns): Promise<BusReply> {
    const body = await listChosenRuns(this.#sql, wanted);
    if (body === null) return notFoundReply();
    return body === 'unknown' ? rejectedReply(runNotFound) : textReply(body);
  }

  /** The newest runs as they were at a moment, newest first. */
  async #listAt({ accountId, automationId: id, limit }: NewestRuns, past: PastMoment): Promise<BusReply> {
    const standing = await this.#retries.standing(id, past);
    if (standing?.accountId !== accountId || standing.status === 'deleted') return notFoundReply();
    const ids = await runsStartedBy(this.#sql, id, past.at, limit);
    const runs = await Promise.all(ids.map((runId) => this.#log.load(runId, past)));
    return jsonReply({
      runs: runs.flatMap((loaded) => (loaded ? [summarise(loaded.run, past.at.getTime())] : [])),
    });
  }
}
