import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Rejection, reject, type SipTrunkEvent } from '@parley/contracts';
import type { Decision, EventMetadata, EventStore, ExecuteResult, Rejected } from '@parley/event-store';
import { type OwnershipKeeper, throughOutages } from '@parley/processing';
import type { Cause } from '@parley/service-kit';
import { type ReconcileParts, reconcileTrunk } from './reconcile-trunk.ts';
import {
  nothingInbound,
  type PlatformIds,
  type SipTrunk,
  sipTrunk,
  sipTrunkCategory,
  sipTrunkStream,
} from './sip-trunk.ts';
import {
  type CheckedTrunk,
  lookAgain,
  reconciledEnd,
  releasedClaims,
  requestClaim,
  trunkCheck,
  trunkCheckId,
  turnAtWork,
  turnClaim,
  turnEnd,
} from './trunk-check.ts';

export interface TurnParts extends ReconcileParts {
  readonly closing: AbortSignal;
  readonly ownership: Pick<OwnershipKeeper, 'tryAcquire'>;
  readonly store: EventStore;
}

/** A turn whose process may be taken for dead once `lost` is aborted: then the check goes on with it. */
export interface Turn extends CheckedTrunk {
  readonly lost: AbortSignal;
}

type Outcome = Decision<SipTrunkEvent> | Rejection;

/** Milliseconds for which an outage is waited for, to have a trunk looked at. */
const patienceMs = 45_000;
const turnPatienceMs = 6_000;
const turnPollMs = 40;

/**
 * Runs changes of trunks: one at a time for each trunk, over all copies, and undone on the platform if it comes to
 * nothing.
 */
export class TrunkTurns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /**
   * Runs `work`, which ends with `conclude`, `giveUp` or `leave`, once no other change of the trunk is under way.
   * Rejects `contended` when that takes too long, `idempotency_in_progress` while the same request is being carried
   * out. When it throws, the trunk's check is set to look at once.
   */
  async take(
    trunk: CheckedTrunk,
    metadata: EventMetadata,
    work: (turn: Turn) => Promise<ExecuteResult>,
  ): Promise<ExecuteResult> {
    try {
      return await this.#atWork(trunk, async (turn) => {
        const begun = await this.#begin(trunk, metadata);
        if (begun.kind === 'rejected') return begun;
        const taken = await this.#wait(trunk, metadata);
        return taken.kind === 'done' ? work(turn) : this.leave(trunk, metadata, taken);
      });
    } catch (error) {
      void this.#checkSoon(trunk, metadata);
      throw error;
    }
  }

  /** Does work during which others see that this process is alive. */
  async #atWork<T>(trunk: CheckedTrunk, work: (turn: Turn) => Promise<T>): Promise<T> {
    const owned = await this.#parts.ownership.tryAcquire(turnAtWork(trunk));
    if (!owned) throw new Error(`The turn ${trunk.turn} was given out twice.`);
    try {
      return await work({ ...trunk, lost: owned.lost });
    } finally {
      void owned.release();
    }
  }

  /** Records a change that the platform has made, and ends the turn; not one that its check may have undone. */
  async conclude(
    trunk: Turn,
    ids: PlatformIds,
    cause: Cause,
    decide: (state: SipTrunk) => Outcome,
  ): Promise<ExecuteResult> {
    const concluding = (state: SipTrunk): Outcome => {
      const outcome = decide(state);
      if ('code' in outcome) return outcome;
      const ended = { ...outcome, claims: [...(outcome.claims ?? []), ...releasedClaims(trunk)] };
      if (ids.inbound_trunk_id !== nothingInbound) return { ...ended, cancelTimers: [trunkCheckId(trunk)] };
      // A check removes the inbound direction to the former number, and has a trunk that waits for calls look at those:
      // in a turn of its own, at which no process is at work.
      const number = state?.phone_number ?? trunk.number;
      const next = { id: trunk.id, accountId: trunk.accountId, number, turn: randomUUID(), commandId: null };
      return {
        ...ended,
        timers: [trunkCheck(next, cause.metadata.correlationId, 0)],
        cancelTimers: [trunkCheckId(trunk)],
      };
    };
    if (trunk.lost.aborted)
      return this.giveUp(trunk, cause, reject('unavailable', { retryAfterSeconds: 1, isOutage: true }));
    const result = await this.append(trunk, cause, concluding);
    // A duplicate, or the second of two equal requests: what the platform has made is undone.
    if (result.kind === 'rejected' || result.replayed) await this.#undo(trunk, cause.metadata);
    return result;
  }

  /** Ends the turn of a change for which the platform was asked for nothing. */
  async leave(trunk: CheckedTrunk, metadata: EventMetadata, result: ExecuteResult): Promise<ExecuteResult> {
    await this.#parts.store.append(turnEnd(trunk, metadata));
    return result;
  }

  /** Ends the turn of a change that failed, of which the platform may have made a part, or all: it is undone. */
  async giveUp(trunk: Turn, { metadata }: Cause, rejection: Rejection): Promise<ExecuteResult> {
    await this.#undo(trunk, metadata);
    return { kind: 'rejected', rejection };
  }

  append(
    { id, accountId }: Pick<CheckedTrunk, 'id' | 'accountId'>,
    cause: Cause,
    decide: (state: SipTrunk, version: number) => Outcome | Rejected,
  ): Promise<ExecuteResult> {
    return this.#parts.aggregates.execute({
      streamId: sipTrunkStream(id),
      category: sipTrunkCategory,
      accountId,
      fold: sipTrunk,
      ...cause,
      decide,
    });
  }

  #begin(trunk: CheckedTrunk, metadata: EventMetadata): Promise<ExecuteResult> {
    return this.append(trunk, { metadata, command: null }, () => ({
      events: [],
      claims: requestClaim('take', trunk),
      timers: [trunkCheck(trunk, metadata.correlationId)],
      onClaimTaken: () => reject('idempotency_in_progress'),
      reply: '{}',
    }));
  }

  async #wait(trunk: CheckedTrunk, metadata: EventMetadata): Promise<ExecuteResult> {
    const deadline = performance.now() + turnPatienceMs;
    for (;;) {
      const result = await this.#tryToTake(trunk, metadata);
      if (result.kind === 'done' || performance.now() > deadline) return result;
      await sleep(turnPollMs * (0.5 + Math.random()));
    }
  }

  #tryToTake(trunk: CheckedTrunk, metadata: EventMetadata): Promise<ExecuteResult> {
    return this.append(trunk, { metadata, command: null }, () => ({
      events: [],
      claims: [turnClaim('take', trunk)],
      timers: [trunkCheck(trunk, metadata.correlationId)],
      onClaimTaken: () => reject('contended', { retryAfterSeconds: 1 }),
      reply: '{}',
    }));
  }

  /** Makes the check look at once; after an outage longer than 45 s it comes at its own time. */
  async #checkSoon(trunk: CheckedTrunk, metadata: EventMetadata): Promise<void> {
    const { closing, store } = this.#parts;
    const patience = AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]);
    await throughOutages(patience, () => store.append(lookAgain(trunk, metadata, 0))).catch(() => undefined);
  }

  /** Makes the platform have what the log has, and ends the turn; where that fails, the check goes on. */
  async #undo(trunk: Turn, metadata: EventMetadata): Promise<void> {
    if (trunk.lost.aborted) {
      void this.#checkSoon(trunk, metadata);
      return;
    }
    const outcome = await reconcileTrunk(this.#parts, trunk);
    if (outcome.kind === 'ok') await this.#parts.store.append(reconciledEnd(trunk, metadata, outcome.value));
  }
}
