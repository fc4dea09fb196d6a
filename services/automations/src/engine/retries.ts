import { setTimeout as sleep } from 'node:timers/promises';
import { type Rejection, reject } from '@parley/contracts';
import { type Aggregates, AppendQueueFull, type EventStore, StoreUnavailable } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { type Cause, type PastMoment, rejectedReply, toReply } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { automation, automationStream } from '../automation/automation.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import { explain } from '../run/render/render.ts';
import { judgeRetry, type RetryJudgement, startRetry } from '../run/retry/retry.ts';
import { isRunId, runCategory, runStream } from '../run/run.ts';
import { timersAfter } from '../timers/run-timers.ts';
import type { AutomationStanding, Definitions } from './ports.ts';
import { type LoadedRun, progressWithoutMemory, RunLog } from './run-log.ts';

interface Parts {
  readonly aggregates: Pick<Aggregates, 'answerOf' | 'loadAt'>;
  readonly definitions: Definitions;
  readonly store: EventStore;
  /** How long answers wait; `usualTiming` when absent. */
  readonly timing?: { readonly answerAfterMs: number; readonly waitMs: number };
}

/**
 * An accepted retry is answered after 250 ms at the earliest, so that requests made at the same time find it under way
 * and are refused; and after 1.5 s at the latest: most runs have ended by then.
 */
const usualTiming = { answerAfterMs: 250, waitMs: 1_500 };
/** How often a retried run is read again to see what became of it. */
const pollMs = 20;
/** How long a retry without an answer counts as under way: after this its process is taken to have died. */
const openMs = 5_000;

type Command = NonNullable<Cause['command']>;

/**
 * A run and whether it can be retried, with what that was judged on; `definition` is the version it follows, `now` in
 * ms.
 */
export interface Judged {
  readonly loaded: LoadedRun;
  readonly judgement: RetryJudgement;
  readonly definition: CompiledDefinition | undefined;
  readonly isUnderWay: boolean;
  readonly now: number;
}

/**
 * Retries of failed runs. Of several requests at the same time one is accepted, by the expected version of the run's
 * stream; the others are refused with `retry_failed` until that one is answered.
 */
export class Retries {
  readonly #log: RunLog;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#log = new RunLog(parts.store);
    this.#parts = parts;
  }

  /**
   * The run and whether it can be retried, now or at a moment of the past. `not_found` when the account has no such
   * automation, or the automation no such run.
   */
  async judge(
    accountId: number,
    automationId: number,
    runId: string,
    past?: PastMoment,
  ): Promise<Judged | Rejection> {
    const { definitions, store } = this.#parts;
    const standing = await this.standing(automationId, past);
    if (!standing || standing.status === 'deleted' || standing.accountId !== accountId)
      return reject('not_found');
    const found = isRunId(runId) ? await this.#log.load(runId.toLowerCase(), past) : undefined;
    const loaded = found && withoutPayloads(found);
    if (loaded?.run.automationId !== automationId || loaded.accountId !== accountId) return runNotFound;
    const [now, pinned, newest, isUnderWay] = await Promise.all([
      past?.at ?? store.now(),
      definitions.load(automationId, loaded.run.version),
      definitions.load(automationId, standing.version),
      past === undefined && this.#isUnderWay(loaded),
    ]);
    const facts = { now: now.getTime(), pinned, newest, isUnderWay };
    return { ...facts, loaded, judgement: judgeRetry(loaded.run, facts), definition: pinned };
  }

  /** Retries a run and answers; a request that is repeated gets its first answer. */
  async retry(
    accountId: number,
    automationId: number,
    runId: string,
    { command, metadata }: Cause,
  ): Promise<BusReply> {
    const cause = { metadata, command: command ?? { commandId: uuidv7(), fingerprint: null } };
    const earlier = await this.#parts.aggregates.answerOf(cause.command);
    if (earlier?.kind === 'rejected' && earlier.rejection.code === 'idempotency_in_progress')
      return this.#answer(accountId, runId, cause);
    if (earlier) return toReply(earlier);
    const judged = await this.judge(accountId, automationId, runId);
    if ('code' in judged) return rejectedReply(judged);
    const { loaded, judgement, now } = judged;
    const message = explain(loaded.run, judgement);
    if (judgement.kind === 'no_op') return rejectedReply(reject('retry_no_op', { message }));
    if (judgement.kind === 'failed') return rejectedReply(reject('retry_failed', { message }));
    const isAccepted = await this.#accept(loaded, judgement, now, cause);
    return isAccepted ? this.#answer(accountId, runId, cause) : rejectedReply(reject('retry_failed'));
  }

  /** The automation as it is now, or was at a moment of the past; undefined when there was none. */
  async standing(automationId: number, past?: PastMoment): Promise<AutomationStanding | undefined> {
    const { aggregates, definitions } = this.#parts;
    if (!past) return definitions.standing(automationId);
    const { state, accountId } = await aggregates.loadAt(automationStream(automationId), automation, past);
    if (!state || accountId === null) return undefined;
    return { accountId, version: state.version, status: state.isEnabled ? 'active' : 'inactive' };
  }

  async #isUnderWay({ run: { acceptedRetry } }: LoadedRun): Promise<boolean> {
    const accepted = acceptedRetry === null ? undefined : await this.#parts.store.findCommand(acceptedRetry);
    return accepted !== undefined && accepted.reply === null && accepted.ageMs < openMs;
  }

  async #accept(
    loaded: LoadedRun,
    { path, definition }: Extract<RetryJudgement, { kind: 'possible' }>,
    now: number,
    { metadata, command }: { metadata: Cause['metadata']; command: Command },
  ): Promise<boolean> {
    const progress = progressWithoutMemory(loaded, now);
    startRetry(progress, path, definition, command.commandId);
    const request = this.#log.request(loaded, progress, {
      metadata,
      ...timersAfter(progress.run),
      command: recordOf(command, null),
    });
    try {
      const { kind } = await this.#parts.store.append(request);
      return kind === 'appended' || kind === 'repeated';
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof AppendQueueFull) return false;
      throw error;
    }
  }

  /**
   * Waits until the run ends or pauses, at most for a while, then records and returns the answer of the retry.
   * `givenId` is the run's id as the request spelled it, which the answer repeats.
   */
  async #answer(
    accountId: number,
    givenId: string,
    { metadata, command }: { metadata: Cause['metadata']; command: Command },
  ): Promise<BusReply> {
    const { aggregates, store } = this.#parts;
    const { answerAfterMs, waitMs } = this.#parts.timing ?? usualTiming;
    const runId = givenId.toLowerCase();
    const startedAt = performance.now();
    const waited = () => performance.now() - startedAt;
    let loaded = await this.#log.load(runId);
    while (waited() < (isUnderWay(loaded) ? waitMs : answerAfterMs)) {
      await sleep(pollMs);
      loaded = await this.#log.load(runId);
    }
    if (!loaded) return rejectedReply(reject('retry_failed'));
    const { status } = loaded.run;
    const body = JSON.stringify({ run_id: givenId, status, note: notes[status] });
    const result = await store.append({
      streamId: runStream(runId),
      category: runCategory,
      accountId,
      expectedVersion: 'any',
      events: [],
      metadata,
      command: recordOf(command, body),
    });
    if (result.kind === 'appended')
      return { kind: 'ok', body, position: result.position, version: loaded.version };
    const answered = await aggregates.answerOf(command);
    return answered ? toReply(answered) : rejectedReply(reject('retry_failed'));
  }
}

/** A run that began in another installation has its payloads there: for retries they count as erased. */
export const withoutPayloads = (loaded: LoadedRun): LoadedRun =>
  loaded.beganElsewhere ? { ...loaded, run: { ...loaded.run, isErased: true } } : loaded;

const isUnderWay = (loaded: LoadedRun | undefined): boolean => loaded?.run.status === 'RUNNING';

const notes = {
  RUNNING: 'The run goes on from its failed step.',
  SUCCEEDED: 'The run went on from its failed step and has succeeded.',
  PAUSED: 'The run went on from its failed step and waits at a delay.',
  FAILED: 'The run went on from its failed step and has failed again.',
} as const;

const recordOf = ({ commandId, fingerprint }: Command, reply: string | null) => ({
  commandId,
  fingerprint: fingerprint ?? '',
  reply,
});

/** The rejection of a request about a run that the automation does not have. */
export const runNotFound = reject('not_found', { message: 'Run not found for this automation' });
