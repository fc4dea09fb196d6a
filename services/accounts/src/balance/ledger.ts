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
  /** What is to be reserved or captured. */
  readonly amountMicros?: Micros;
  /** It may have become less. */
  readonly isAtMost?: boolean;
}

/** Names command ids by what is done to a hold; never changes, or holds would be done again. */
const holdNamespace = 'e6f5f5b2-0d1b-4b52-9a5e-6f3d8a1c7b40';

/** The one way to an account's balance stream. */
@Injectable()
export class Ledger {
  readonly #aggregates: Aggregates;
  readonly #store: EventStore;

  constructor(aggregates: Aggregates, @Inject(EVENT_STORE) store: EventStore) {
    this.#aggregates = aggregates;
    this.#store = store;
  }

  /** Moves money that is not about a hold; repeated only under the caller's own command id. */
  move(
    message: MessageContext,
    accountId: number,
    decide: (state: Balance) => Outcome,
  ): Promise<ExecuteResult> {
    return this.#execute(accountId, decide, causeOf(message));
  }

  /**
   * Does something to a hold once for ever, whatever the caller's command id: the command's id is the hold's, so its
   * answer is kept like any other and the fold need not remember settled holds. Rejects with `unavailable`, and does
   * nothing, when its turn comes after its time is over.
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
        // The caller has timed out: doing it anyway would make those behind it time out too.
        if (performance.now() > endsAt) throw new RejectionError(reject('unavailable'));
        const isOpen = state.holds.has(hold.holdId);
        // Most are about a hold that is new, or open: these go together.
        return isOpen === (hold.action !== 'reserve')
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
   * A hold that is not open was never reserved, was settled, or was reserved since the state was read. One look after the
   * other tells these apart: whatever a look finds has happened before the next one.
   */
  async #look(
    state: Balance,
    hold: HoldCommand,
  ): Promise<{ readonly present: Balance; readonly past: HoldPast }> {
    const { accountId, holdId } = hold;
    if (state.holds.has(holdId)) return { present: state, past: { wasReserved: true, capturedMicros: null } };
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

  /** A repetition asks for the amount of the first time, or it is another wish under the same hold id. */
  async #isOtherAmount(
    result: ExecuteResult,
    { accountId, amountMicros, isAtMost = false }: HoldCommand,
  ): Promise<boolean> {
    if (amountMicros === undefined || result.kind !== 'done' || !result.replayed) return false;
    const before = await this.#amountAt(accountId, result.version);
    return isAtMost ? before > amountMicros : before !== amountMicros;
  }

  /**
   * The amount that was reserved or captured, read from its event: stored answers are emptied once a person is erased
   * whom any line of the ledger mentions.
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
