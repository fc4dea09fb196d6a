import type { OnModuleDestroy } from '@nestjs/common';
import { type Micros, type makeCall, type OperationSuccess, type Rejection, reject } from '@parley/contracts';
import type { ExecuteResult, IdAllocator } from '@parley/event-store';
import { isUnanswered } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import { underLease } from '@parley/processing';
import { type AccountBalance, type Cause, type Hold, newHold } from '@parley/service-kit';
import { newRoomOf } from './call.ts';
import { mostMicros } from './charge/price.ts';
import {
  abandonCall,
  type CallRequestedData,
  dropCall,
  prepareCall,
  renewPreparation,
  requestCall,
} from './decisions.ts';
import { type DialParts, dial } from './dial.ts';
import { newItem } from './item.ts';
import type { PlacedCall } from './placed-call.ts';
import type { Placing } from './timers/call-timer.ts';

export interface CallParts extends DialParts {
  readonly balance: AccountBalance;
  readonly ids: IdAllocator;
  readonly logger: Pick<Logger, 'error'>;
  readonly minutePriceMicros: Micros;
}

/** A call that has passed every check but the balance. */
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

interface Attempt {
  readonly accountId: number;
  readonly data: CallRequestedData;
  /** `null` for a free call. */
  readonly hold: Hold | null;
  readonly placing: Placing;
  readonly cause: Cause;
  readonly answer: (made: Made) => object;
}

/**
 * Places calls: reserves the price, records the call, which answers the request, and dials. Of two requests with one
 * command id only one dials. If the process dies in between, the call's timer finds out what became of the call.
 */
export class Calls implements OnModuleDestroy {
  readonly #parts: CallParts;
  readonly #dialing = new Set<Promise<void>>();

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** No requests come any more: dials what was answered already before the process ends. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#dialing);
  }

  /** The answer of the request if it was carried out before; else `null`. */
  async answerOf({ command }: Cause): Promise<ExecuteResult | null> {
    return (command && (await this.#parts.log.answerOf(command))) ?? null;
  }

  /**
   * Places a call. `want` makes the checks; a repeated request is answered like the first, whatever they would say by
   * now. `answer` makes the request's answer, which is kept for repetitions.
   */
  async place(
    cause: Cause,
    want: () => Promise<WantedCall | Rejection>,
    answer: Attempt['answer'],
  ): Promise<ExecuteResult> {
    const { clock, ids, log, minutePriceMicros } = this.#parts;
    const known = await this.answerOf(cause);
    if (known) return known;
    const wanted = await want();
    if ('code' in wanted) return { kind: 'rejected', rejection: wanted };
    const { accountId, ...about } = wanted;
    const [id, now] = await Promise.all([ids.next(), clock.now()]);
    const reserved = mostMicros(wanted.max_duration_s, minutePriceMicros);
    const hold = newHold(accountId, reserved, cause.metadata);
    const data: CallRequestedData = {
      ...about,
      call_id: id,
      room: newRoomOf(id),
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
    const attempt: Attempt = { accountId, data, hold, placing, cause, answer };
    if (!hold) return this.#request(attempt);
    const { metadata } = cause;
    const prepared = await log.change(id, accountId, metadata, () => prepareCall(placing));
    // The same request may have been answered elsewhere meanwhile.
    if (prepared.kind === 'rejected') return (await this.answerOf(cause)) ?? prepared;
    return underLease(
      () => log.change(id, accountId, metadata, (state) => renewPreparation(state, placing)),
      async () => {
        const rejection = await this.#reserve(hold, attempt);
        if (rejection) return (await this.answerOf(cause)) ?? { kind: 'rejected', rejection };
        return this.#request(attempt);
      },
    );
  }

  /** Reserves the most that the call may cost; the refusal, or null. */
  async #reserve(hold: Hold, { accountId, data, placing, cause }: Attempt): Promise<Rejection | null> {
    const { balance, log } = this.#parts;
    const { call_id: id, customer_phone, reserved_micros: amountMicros } = data;
    try {
      const description = `Call to ${customer_phone}`;
      const refused = await balance.reserve(hold, { amountMicros, description, reference: `call/${id}` });
      if (refused) await log.change(id, accountId, cause.metadata, () => abandonCall(placing));
      return refused;
    } catch (error) {
      // The timer releases what may have been reserved.
      await log.change(id, accountId, cause.metadata, (state) => dropCall(state, placing));
      if (isUnanswered(error)) return reject('unavailable', { retryAfterSeconds: 1 });
      throw error;
    }
  }

  /** Records the call, which answers the request, and begins to dial. */
  async #request({ accountId, data, hold, placing, cause, answer }: Attempt): Promise<ExecuteResult> {
    const { metadata, command } = cause;
    const item = newItem({ type: 'CallRequested', data });
    const result = await this.#parts.log.change(
      data.call_id,
      accountId,
      metadata,
      (state) => requestCall(state, data, answer(item)),
      command,
    );
    if (result.kind === 'rejected' || result.replayed) await this.#giveBack(hold, placing, cause);
    else this.#beginToDial({ accountId, data, metadata });
    return result;
  }

  /** Dials in the background; the call's timer looks up what fails. */
  #beginToDial(placed: PlacedCall): void {
    const { logger } = this.#parts;
    const dialing = dial(this.#parts, placed)
      .catch((error: unknown) =>
        logger.error(
          { err: error, call: placed.data.call_id },
          'dialing a call failed; its timer looks it up',
        ),
      )
      .finally(() => this.#dialing.delete(dialing));
    this.#dialing.add(dialing);
  }

  /** Releases the hold of a call that is never placed, as its request was carried out before or was refused. */
  async #giveBack(hold: Hold | null, placing: Placing, { metadata }: Cause): Promise<void> {
    if (!hold) return;
    const { balance, log } = this.#parts;
    await balance.release(hold);
    await log.change(placing.callId, hold.accountId, metadata, () => abandonCall(placing));
  }
}
