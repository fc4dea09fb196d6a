import { type Micros, type makeCall, type OperationSuccess, type Rejection, reject } from '@parley/contracts';
import type { EventMetadata, ExecuteResult, IdAllocator } from '@parley/event-store';
import { isUnanswered } from '@parley/message-bus';
import { type AccountBalance, type Cause, type Hold, traceOf } from '@parley/service-kit';
import { v7 as uuidv7 } from 'uuid';
import { roomOf } from './call.ts';
import { callTimerId, placementTimer } from './call-timer.ts';
import { type CallRequestedData, requestCall } from './decisions.ts';
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
    if (hold) {
      const refused = await this.#reserve(data, hold, cause.metadata);
      if (refused) return { kind: 'rejected', rejection: refused };
    }
    const item = newItem({ type: 'CallRequested', data });
    const result = await log.change(
      id,
      accountId,
      cause.metadata,
      (state) => requestCall(state, data, answer(item)),
      cause.command,
    );
    if (result.kind === 'rejected' || result.replayed) await this.#giveBack(data, accountId, hold, cause);
    // The answer does not wait for it; what fails is looked up by the call's timer.
    else void dial(this.#parts, { accountId, data, metadata: cause.metadata }).catch(() => undefined);
    return result;
  }

  async #reserve(data: CallRequestedData, hold: Hold, metadata: EventMetadata): Promise<Rejection | null> {
    const { balance, log } = this.#parts;
    const { call_id: id, reserved_micros: amountMicros, customer_phone } = data;
    await log.change(id, hold.accountId, metadata, () => ({
      events: [],
      timers: [placementTimer(id, hold.holdId)],
      reply: '{}',
    }));
    try {
      const reference = `call/${id}`;
      const refused = await balance.reserve(hold, {
        amountMicros,
        description: `Call to ${customer_phone}`,
        reference,
      });
      if (refused) await this.#cancelTimer(data, hold.accountId, metadata);
      // Given back by the timer, because it took too long: the request may be made again.
      return refused?.code === 'hold_settled' ? reject('unavailable', { retryAfterSeconds: 1 }) : refused;
    } catch (error) {
      // What may have been reserved is given back by the timer.
      if (isUnanswered(error)) return reject('unavailable', { retryAfterSeconds: 1 });
      throw error;
    }
  }

  /** The request was made before, or came to nothing: this call is never placed. */
  async #giveBack(
    data: CallRequestedData,
    accountId: number,
    hold: Hold | null,
    { metadata }: Cause,
  ): Promise<void> {
    if (!hold) return;
    await this.#parts.balance.release(hold);
    await this.#cancelTimer(data, accountId, metadata);
  }

  #cancelTimer({ call_id }: CallRequestedData, accountId: number, metadata: EventMetadata) {
    return this.#parts.log.change(call_id, accountId, metadata, () => ({
      events: [],
      cancelTimers: [callTimerId(call_id)],
      reply: '{}',
    }));
  }
}
