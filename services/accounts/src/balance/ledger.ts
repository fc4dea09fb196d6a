import { Inject, Injectable } from '@nestjs/common';
import { type BalanceEvent, type Micros, type Rejection, reject } from '@parley/contracts';
import { Aggregates, type EventStore, type ExecuteResult } from '@parley/event-store';
import type { MessageContext } from '@parley/message-bus';
import { type Cause, causeOf, EVENT_STORE, RejectionError } from '@parley/service-kit';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import { type Balance, type BalanceDecision, type BalanceReply, balance, balanceStream } from './balance.ts';
import type { HoldDecision, HoldPast } from './hold.ts';
import { pastOfImportedHold } from './imported-hold.ts';

type Outcome = BalanceDecision | Rejection;

export interface HoldCommand {
  readonly accountId: number;
  readonly holdId: string;
  readonly action: 'reserve' | 'capture' | 'release' | 'refund';
  /** The amount to reserve or to capture; absent for the other actions. */
  readonly amountMicros?: Micros;
  /** The amount is an upper limit: less may have been reserved or captured. */
  readonly isAtMost?: boolean;
}

/**
 * Namespace of the command ids made from account, hold and action. It never changes: a repeated command would be
 * carried out twice.
 */
const holdNamespace = 'e6f5f5b2-0d1b-4b52-9a5e-6f3d8a1c7b40';

/** Executes all commands on the balance streams of accounts. */
@Injectable()
export class Ledger {
  readonly #aggregates: Aggregates;
  readonly #store: EventStore;

  constructor(aggregates: Aggregates, @Inject(EVENT_STORE) store: EventStore) {
    this.#aggregates = aggregates;
    this.#store = store;
  }

  /**
   * Executes a command that concerns no hold, under the caller's command id: only that id recognises a repetition.
   */
  move(
    message: MessageContext,
    accountId: number,
    decide: (state: Balance) => Outcome,
  ): Promise<ExecuteResult> {
    return this.#execute(accountId, decide, causeOf(message));
  }

  /**
   * Executes a command on a hold, effective once for ever: its command id is made from account, hold and action,
   * whatever the caller's is. So the answer is found in the command log, and the fold need not remember settled
   * holds. A repetition with another amount is rejected with `idempotency_key_reuse`. A command whose timeout
   * passed while it waited does nothing and throws the rejection `unavailable`.
   */
  async moveHold(
    message: MessageContext,
    hold: HoldCommand,
    decide: (state: Balance, past: HoldPast) => HoldDecision | Rejection,
  ): Promise<ExecuteResult> {
    const { metadata } = causeOf(message);
    const commandId = holdCommandId(hold, hold.action);
    const endsAt = performance.now() + message.timeoutMs;
    const result = await this.#execute(
      hold.accountId,
      (state) => {
        // The caller has given up; work for it would only make the commands behind it time out, too.
        if (performance.now() > endsAt) throw new RejectionError(reject('unavailable'));
        // The usual case, decided without a look-up: a reservation, or another action on an open hold.
        return hold.action === 'reserve' || state.holds.has(hold.holdId)
          ? decide(state, { wasReserved: true, capturedMicros: null })
          : this.#look(state, hold).then(({ present, past }) => decide(present, past));
      },
      { metadata: { ...metadata, commandId }, command: { commandId, fingerprint: null }, inRuns: true },
    );
    return (await this.#isOtherAmount(result, hold))
      ? { kind: 'rejected', rejection: reject('idempotency_key_reuse') }
      : result;
  }

  /**
   * For a capture, release or refund of a hold that is not open in `state`: it was never reserved, was settled, or
   * was reserved since `state` was read. The look-ups come in this order so that each sees whatever the one before
   * it found.
   */
  async #look(
    state: Balance,
    hold: HoldCommand,
  ): Promise<{ readonly present: Balance; readonly past: HoldPast }> {
    const { accountId, holdId } = hold;
    const reserved = await this.#store.findCommand(holdCommandId(hold, 'reserve'));
    const past = reserved
      ? { wasReserved: true, capturedMicros: null }
      : await pastOfImportedHold(this.#store, balanceStream(accountId), holdId);
    if (!past.wasReserved) return { present: state, past };
    const { state: present } = await this.#aggregates.load(balanceStream(accountId), balance);
    const captured = await this.#store.findCommand(holdCommandId(hold, 'capture'));
    const capturedMicros = captured ? await this.#amountAt(accountId, captured.version) : past.capturedMicros;
    return { present, past: { wasReserved: true, capturedMicros } };
  }

  /**
   * Whether a repeated command names another amount than the first one did, and so is a different command under the
   * same hold id.
   */
  async #isOtherAmount(
    result: ExecuteResult,
    { accountId, amountMicros, isAtMost = false }: HoldCommand,
  ): Promise<boolean> {
    if (amountMicros === undefined || result.kind !== 'done' || !result.replayed) return false;
    const before = await this.#amountAt(accountId, result.version);
    return isAtMost ? before > amountMicros : before !== amountMicros;
  }

  /**
   * The amount of a reservation or capture, read from its event at this version of the stream. The stored answer
   * would not do: it is emptied when a person is erased whom a ledger line mentions.
   */
  async #amountAt(accountId: number, version: number): Promise<Micros> {
    const range = { fromVersion: version, toVersion: version };
    const [event] = await this.#store.readStream(balanceStream(accountId), range);
    return heldAmount.parse(event?.data).amount_micros;
  }

  #execute(
    accountId: number,
    decide: (state: Balance) => Outcome | Promise<Outcome>,
    cause: Cause & { readonly inRuns?: boolean },
  ): Promise<ExecuteResult> {
    return this.#aggregates.execute<Balance, BalanceEvent, BalanceReply>({
      streamId: balanceStream(accountId),
      category: 'balance',
      accountId,
      fold: balance,
      ...cause,
      decide,
    });
  }
}

const holdCommandId = ({ accountId, holdId }: HoldCommand, action: HoldCommand['action']): string =>
  uuidv5(`${accountId}/${holdId}/${action}`, holdNamespace);

const heldAmount = z.object({ amount_micros: z.int() });
