import { setTimeout as sleep } from 'node:timers/promises';
import { type Rejection, reject, type SipTrunkEvent } from '@parley/contracts';
import type { Decision, EventMetadata, EventStore, ExecuteResult, Rejected } from '@parley/event-store';
import { throughOutages } from '@parley/processing';
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
  patienceMs,
  reconciledEnd,
  releasedClaims,
  requestClaim,
  trunkCheck,
  trunkCheckId,
  turnClaim,
  turnEnd,
} from './trunk-check.ts';

export interface TurnParts extends ReconcileParts {
  readonly closing: AbortSignal;
  readonly store: EventStore;
}

type Outcome = Decision<SipTrunkEvent> | Rejection;

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
    work: () => Promise<ExecuteResult>,
  ): Promise<ExecuteResult> {
    try {
      const begun = await this.#begin(trunk, metadata);
      if (begun.kind === 'rejected') return begun;
      const turn = await this.#wait(trunk, metadata);
      if (turn.kind === 'done') return await work();
      return await this.leave(trunk, metadata, turn);
    } catch (error) {
      void this.#checkSoon(trunk, metadata).catch(() => undefined);
      throw error;
    }
  }

  /** Records a change that the platform has made, and ends the turn. */
  async conclude(
    trunk: CheckedTrunk,
    ids: PlatformIds,
    cause: Cause,
    decide: (state: SipTrunk) => Outcome,
  ): Promise<ExecuteResult> {
    const concluding = (state: SipTrunk): Outcome => {
      const outcome = decide(state);
      if ('code' in outcome) return outcome;
      const ended = { ...outcome, claims: [...(outcome.claims ?? []), ...releasedClaims(trunk)] };
      if (ids.inbound_trunk_id !== nothingInbound) return { ...ended, cancelTimers: [trunkCheckId(trunk)] };
      // The check removes the inbound direction to the former number, and has a trunk that waits for calls look at
      // those.
      const before = { ...trunk, number: state?.phone_number ?? trunk.number };
      return { ...ended, timers: [trunkCheck(before, cause.metadata.correlationId, 0)] };
    };
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
  async giveUp(trunk: CheckedTrunk, { metadata }: Cause, rejection: Rejection): Promise<ExecuteResult> {
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
    await throughOutages(patience, () => store.append(lookAgain(trunk, metadata, 0)));
  }

  /** Makes the platform have what the log has, and ends the turn; where that fails, the check goes on. */
  async #undo(trunk: CheckedTrunk, metadata: EventMetadata): Promise<void> {
    const outcome = await reconcileTrunk(this.#parts, trunk);
    if (outcome.kind === 'ok') await this.#parts.store.append(reconciledEnd(trunk, metadata, outcome.value));
  }
}
