import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type createSipTrunk as creation,
  type OperationInput,
  type Rejection,
  reject,
  type SipTrunkEvent,
  type updateSipTrunk as update,
} from '@parley/contracts';
import type {
  Clock,
  Decision,
  EventMetadata,
  EventStore,
  ExecuteResult,
  Rejected,
} from '@parley/event-store';
import { Secret } from '@parley/process-kit';
import { throughOutages } from '@parley/processing';
import type { ProviderFailure } from '@parley/providers';
import { atExpectedVersion, type Cause } from '@parley/service-kit';
import { createSipTrunk, deleteSipTrunk, updateSipTrunk } from './decisions.ts';
import { type ReconcileParts, reconcileTrunk } from './reconcile-trunk.ts';
import { changedSettings, newSettings } from './settings.ts';
import { type SipTrunk, sipTrunk, sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';
import {
  type CheckedTrunk,
  lookAgain,
  patienceMs,
  trunkCheck,
  trunkCheckId,
  turnClaim,
  turnEnd,
} from './trunk-check.ts';

export interface SipTrunkParts extends ReconcileParts {
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly store: EventStore;
}

/** A request about one trunk. */
interface Request<Input> {
  readonly id: number;
  readonly accountId: number;
  readonly input: Input;
  readonly cause: Cause;
}

interface ChangeRequest extends Request<Omit<OperationInput<typeof update>, 'id'>> {
  readonly expectedVersion: number | null;
}

type Outcome = Decision<SipTrunkEvent> | Rejection;

/**
 * Trunks here and on the voice platform: first there, then on record, so that nothing is saved that the platform refuses.
 * A check set before that tidies up after whatever dies in between.
 */
export class SipTrunks {
  readonly #parts: SipTrunkParts;

  constructor(parts: SipTrunkParts) {
    this.#parts = parts;
  }

  /** `id` is fresh. */
  async create({
    id,
    accountId,
    input,
    cause,
  }: Request<OperationInput<typeof creation>>): Promise<ExecuteResult> {
    const { clock, passwords, platform } = this.#parts;
    const answered = await this.#answerOf(cause);
    if (answered) return answered;
    const settings = newSettings(input);
    if ('code' in settings) return rejected(settings);
    const trunk = { id, accountId, number: settings.phone_number, turn: randomUUID() };
    return this.#inTurn(trunk, cause.metadata, async () => {
      await this.#takeTurn(trunk, cause.metadata);
      await passwords.save(id, input.sip_password);
      const made = await platform.create({ id, settings, password: new Secret(input.sip_password) });
      if (made.kind !== 'ok') return this.#giveUp(trunk, cause, refusalOf(made));
      const now = await clock.now();
      return this.#conclude(trunk, cause, (state) =>
        createSipTrunk(state, { accountId, id, now, settings, ids: made.value }),
      );
    });
  }

  async update({ id, accountId, input, cause, expectedVersion }: ChangeRequest): Promise<ExecuteResult> {
    const answered = await this.#answerOf(cause);
    if (answered) return answered;
    const before = await this.#load(id, accountId);
    const wanted = before.state && changedSettings(before.state, input);
    if (!wanted) return rejected(reject('not_found'));
    if ('code' in wanted) return rejected(wanted);
    const trunk = { id, accountId, number: wanted.phone_number, turn: randomUUID() };
    return this.#inTurn(trunk, cause.metadata, async () => {
      const turn = await this.#takeTurn(trunk, cause.metadata);
      return turn.kind === 'rejected' ? turn : this.#change(trunk, { input, cause, expectedVersion });
    });
  }

  /** In its turn. */
  async #change(
    trunk: CheckedTrunk,
    { input, cause, expectedVersion }: Pick<ChangeRequest, 'input' | 'cause' | 'expectedVersion'>,
  ): Promise<ExecuteResult> {
    const { clock, passwords, platform } = this.#parts;
    const { id, accountId } = trunk;
    const { state, version } = await this.#load(id, accountId);
    if (expectedVersion !== null && expectedVersion !== version)
      return this.#giveUp(trunk, cause, reject('version_mismatch'));
    const settings = state && changedSettings(state, input);
    if (!settings) return this.#giveUp(trunk, cause, reject('not_found'));
    if ('code' in settings) return this.#giveUp(trunk, cause, settings);
    const given = input.sip_password;
    const password = given === undefined ? await passwords.find(id) : new Secret(given);
    if (!password) return this.#giveUp(trunk, cause, reject('not_found'));
    const replaced = await platform.replace(state, { id, settings, password });
    if (replaced.kind !== 'ok') return this.#giveUp(trunk, cause, refusalOf(replaced));
    const earlier = given === undefined ? undefined : await passwords.save(id, given);
    const now = await clock.now();
    const wanted = { accountId, now, change: input, isNewPassword: given !== undefined };
    return this.#conclude(trunk, cause, (present) => updateSipTrunk(present, wanted), earlier);
  }

  /** On record first: what the platform still has is removed as soon as it can be. */
  async remove({
    id,
    accountId,
    cause,
    expectedVersion,
  }: Omit<ChangeRequest, 'input'>): Promise<ExecuteResult> {
    const known = await this.#load(id, accountId);
    const trunk = { id, accountId, number: known.state?.phone_number ?? '', turn: randomUUID() };
    const correlation = cause.metadata.correlationId;
    return this.#execute(
      trunk,
      cause.metadata,
      atExpectedVersion({ expectedVersion }, (state: SipTrunk) => {
        const outcome = deleteSipTrunk(state, accountId);
        return 'code' in outcome ? outcome : { ...outcome, timers: [trunkCheck(trunk, correlation, 0)] };
      }),
      cause.command,
    );
  }

  async #load(id: number, accountId: number) {
    const loaded = await this.#parts.aggregates.load(sipTrunkStream(id), sipTrunk);
    return { ...loaded, state: loaded.accountId === accountId ? loaded.state : null };
  }

  #answerOf({ command }: Cause) {
    return command && this.#parts.aggregates.answerOf(command);
  }

  /** Whatever goes wrong on the way, nobody is at the trunk any more then: it is looked at as soon as that can be said. */
  async #inTurn(
    trunk: CheckedTrunk,
    metadata: EventMetadata,
    work: () => Promise<ExecuteResult>,
  ): Promise<ExecuteResult> {
    try {
      return await work();
    } catch (error) {
      void this.#checkSoon(trunk, metadata).catch(() => undefined);
      throw error;
    }
  }

  /** Through a short outage; after a longer one the check that was set before comes in its own time. */
  async #checkSoon(trunk: CheckedTrunk, metadata: EventMetadata): Promise<void> {
    const { closing, store } = this.#parts;
    const patience = AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]);
    await throughOutages(patience, () => store.append(lookAgain(trunk, metadata, 0)));
  }

  /** Waits for those who are changing the trunk now. */
  async #takeTurn(trunk: CheckedTrunk, metadata: EventMetadata): Promise<ExecuteResult> {
    const deadline = performance.now() + turnPatienceMs;
    for (;;) {
      const result = await this.#tryToTakeTurn(trunk, metadata);
      if (result.kind === 'done' || performance.now() > deadline) return result;
      await sleep(turnPollMs * (0.5 + Math.random()));
    }
  }

  #tryToTakeTurn(trunk: CheckedTrunk, metadata: EventMetadata): Promise<ExecuteResult> {
    return this.#execute(trunk, metadata, () => ({
      events: [],
      claims: [turnClaim('take', trunk)],
      timers: [trunkCheck(trunk, metadata.correlationId)],
      onClaimTaken: () => reject('contended', { retryAfterSeconds: 1 }),
      reply: '{}',
    }));
  }

  /**
   * The platform has done its part: on record with the end of the turn. Where that is refused, the earlier password
   * counts again.
   */
  async #conclude(
    trunk: CheckedTrunk,
    cause: Cause,
    decide: (state: SipTrunk) => Outcome,
    earlierPassword?: string,
  ): Promise<ExecuteResult> {
    const concluding = (state: SipTrunk): Outcome => {
      const outcome = decide(state);
      if ('code' in outcome) return outcome;
      return {
        ...outcome,
        claims: [...(outcome.claims ?? []), turnClaim('release', trunk)],
        cancelTimers: [trunkCheckId(trunk)],
      };
    };
    const result = await this.#execute(trunk, cause.metadata, concluding, cause.command);
    if (result.kind === 'rejected' && earlierPassword !== undefined)
      await this.#parts.passwords.restore(trunk.id, earlierPassword);
    // A duplicate, or the second of two requests that are one: what the platform was told does not count.
    if (result.kind === 'rejected' || result.replayed) await this.#undo(trunk, cause.metadata);
    return result;
  }

  async #giveUp(trunk: CheckedTrunk, cause: Cause, rejection: Rejection): Promise<ExecuteResult> {
    await this.#undo(trunk, cause.metadata);
    return rejected(rejection);
  }

  /** Back to what the log says; where that fails the check goes on. */
  async #undo(trunk: CheckedTrunk, metadata: EventMetadata): Promise<void> {
    if ((await reconcileTrunk(this.#parts, trunk)) !== null) return;
    await this.#parts.store.append(turnEnd(trunk, metadata));
  }

  #execute(
    { id, accountId }: CheckedTrunk,
    metadata: EventMetadata,
    decide: (state: SipTrunk, version: number) => Outcome | Rejected,
    command: Cause['command'] = null,
  ): Promise<ExecuteResult> {
    const streamId = sipTrunkStream(id);
    const { aggregates } = this.#parts;
    return aggregates.execute({
      streamId,
      category: sipTrunkCategory,
      accountId,
      fold: sipTrunk,
      metadata,
      command,
      decide,
    });
  }
}

const turnPatienceMs = 6_000;
const turnPollMs = 40;

const rejected = (rejection: Rejection): ExecuteResult => ({ kind: 'rejected', rejection });

const refusalOf = ({ kind }: ProviderFailure): Rejection =>
  kind === 'rejected' ? reject('voice_platform_refused') : reject('unavailable', { retryAfterSeconds: 5 });
