import { type Micros, type makeCall, type OperationSuccess, type Rejection, reject } from '@parley/contracts';
import type { EventMetadata, ExecuteResult, IdAllocator } from '@parley/event-store';
import { isUnanswered } from '@parley/message-bus';
import { type AccountBalance, type Cause, type Hold, traceOf } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { roomOf } from './call.ts';
import type { Placing } from './call-timer.ts';
import { abandonCall, type CallRequestedData, dropCall, prepareCall, requestCall } from './decisions.ts';
import { type DialParts, dial } from './dial.ts';
import { newItem } from './item.ts';
import { mostMicros } from './price.ts';

export interface CallParts extends DialParts {
  readonly balance: AccountBalance;
  readonly ids: IdAllocator;
  readonly minutePriceMicros: Micros;
}

/** A call that passed every check but the balance's. */
export type WantedCall = Pick<
  CallRequestedData,
  | 'channel'
  | 'assistant_id'
  | 'customer_phone'
  | 'assistant_phone'
  | 'phone_number_id'
  | 'sender_id'
  | 'lead_id'
  | 'campaign_id'
  | 'input_variables'
  | 'max_duration_s'
> & { readonly accountId: number };

type Made = OperationSuccess<typeof makeCall>['data'];

/**
 * Places calls: paid for, on record, answered, dialed. Of any two requests with one command id only one dials; and
 * whatever dies in between, the call's timer finds out what became of it.
 */
export class Calls {
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** What the request was answered with, if it was made before. */
  async answerOf({ command }: Cause): Promise<ExecuteResult | null> {
    return (command && (await this.#parts.log.answerOf(command))) ?? null;
  }

  /**
   * `want` makes the checks: a repeated request is answered like the first, whatever they would say by now. `answer` is
   * what the request is answered with, kept for its repetitions.
   */
  async place(
    cause: Cause,
    want: () => Promise<WantedCall | Rejection>,
    answer: (made: Made) => object,
  ): Promise<ExecuteResult> {
    const { clock, ids, log, minutePriceMicros } = this.#parts;
    const known = await this.answerOf(cause);
    if (known) return known;
    const wanted = await want();
    if ('code' in wanted) return { kind: 'rejected', rejection: wanted };
    const { accountId, ...about } = wanted;
    const [id, now] = await Promise.all([ids.next(), clock.now()]);
    const reserved = mostMicros(wanted.max_duration_s, minutePriceMicros);
    const hold: Hold | null =
      reserved === 0 ? null : { accountId, holdId: uuidv7(), ...traceOf(cause.metadata) };
    const data: CallRequestedData = {
      ...about,
      call_id: id,
      room: roomOf(id),
      price_per_minute_micros: minutePriceMicros,
      hold_id: hold?.holdId ?? null,
      reserved_micros: reserved,
      requested_at: now.toISOString(),
    };
    const placing: Placing = {
      callId: id,
      holdId: data.hold_id,
      commandId: cause.command?.commandId ?? null,
    };
    if (hold) {
      const rejection = await this.#reserve(data, hold, placing, cause.metadata);
      // Meanwhile the same request may have been answered elsewhere.
      if (rejection) return (await this.answerOf(cause)) ?? { kind: 'rejected', rejection };
    }
    const item = newItem({ type: 'CallRequested', data });
    const result = await log.change(
      id,
      accountId,
      cause.metadata,
      (state) => requestCall(state, data, answer(item)),
      cause.command,
    );
    if (result.kind === 'rejected' || result.replayed) await this.#giveBack(hold, placing, cause);
    // The answer does not wait for it; what fails is looked up by the call's timer.
    else void dial(this.#parts, { accountId, data, metadata: cause.metadata }).catch(() => undefined);
    return result;
  }

  /** Sets the most that the call may cost aside, for one call of the request only. */
  async #reserve(
    { call_id: id, reserved_micros: amountMicros, customer_phone }: CallRequestedData,
    hold: Hold,
    placing: Placing,
    metadata: EventMetadata,
  ): Promise<Rejection | null> {
    const { balance, log } = this.#parts;
    const { accountId } = hold;
    const prepared = await log.change(id, accountId, metadata, () => prepareCall(placing));
    // `decide` rejects with codes of the contracts only.
    if (prepared.kind === 'rejected') return prepared.rejection as Rejection;
    try {
      const description = `Call to ${customer_phone}`;
      const refused = await balance.reserve(hold, { amountMicros, description, reference: `call/${id}` });
      if (refused) await log.change(id, accountId, metadata, () => abandonCall(placing));
      return refused;
    } catch (error) {
      // What may have been reserved is given back by the timer.
      await log.change(id, accountId, metadata, (state) => dropCall(state, placing));
      if (isUnanswered(error)) return reject('unavailable', { retryAfterSeconds: 1 });
      throw error;
    }
  }

  /** The request was made before, or came to nothing: this call is never placed. */
  async #giveBack(hold: Hold | null, placing: Placing, { metadata }: Cause): Promise<void> {
    if (!hold) return;
    const { balance, log } = this.#parts;
    await balance.release(hold);
    await log.change(placing.callId, hold.accountId, metadata, () => abandonCall(placing));
  }
}
