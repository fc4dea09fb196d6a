import { invalidField, type Micros, type Rejection, reject } from '@parley/contracts';
import type { Clock, ExecuteResult, IdAllocator, SqlExecutor } from '@parley/event-store';
import { isUnanswered } from '@parley/message-bus';
import { countryOf, isPhoneNumber } from '@parley/phone-numbers';
import { throughOutages, untilTold } from '@parley/processing';
import type { Carrier } from '@parley/providers';
import { type AccountBalance, type Cause, type Hold, isDone, newHold, sendOnce } from '@parley/service-kit';
import { findSmsNumber } from '../views/number-queries.ts';
import { recordRefused, recordUnknown, sendFailed, startSend, takeBack } from './decisions.ts';
import { segmentsOf } from './segments.ts';
import { isSent, type Sms, type StartedSms, smsStream } from './sms.ts';
import { type Checked, smsChecks } from './sms-check.ts';
import type { SmsLog } from './sms-log.ts';

interface OutboxParts {
  readonly balance: AccountBalance;
  readonly carrier: Carrier;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly ids: IdAllocator;
  readonly log: SmsLog;
  readonly segmentPriceMicros: Micros;
  readonly sql: SqlExecutor;
  /** URL to which the carrier posts statuses, for our reference of an SMS. */
  readonly statusUrlOf: (reference: string) => string;
}

/** An SMS that a campaign wants to send. */
interface WantedSms {
  readonly accountId: number;
  readonly customerPhone: string;
  readonly body: string;
  readonly leadId: number;
  readonly campaignId: number;
  /** ISO 8601: the carrier must not send it later; `null` leaves that to the carrier. */
  readonly notAfter: string | null;
}

/** An SMS while it is being sent; `hold` is null when it is free. */
interface Attempt {
  readonly wanted: WantedSms;
  readonly cause: Cause;
  readonly checked: Checked;
  readonly hold: Hold | null;
}

/**
 * The recorded send, and how many seconds the carrier may keep it (null: no limit), which needs no database any more.
 */
interface Begun {
  readonly start: StartedSms;
  readonly secondsLeft: (() => number) | null;
}

/** Characters; carriers accept no longer texts. */
const maxBody = 1_600;
/**
 * Seconds after which a campaign asks again: until the account has a number, no other lead can be written to either.
 */
const noNumberSeconds = 15 * 60;

/**
 * Sends SMS: prepares, reserves the price, records the send, hands over once, answers. If the process dies in between,
 * `sms-check` settles the SMS.
 */
export class SmsOutbox {
  readonly #parts: OutboxParts;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Sends an SMS. A repeated request is answered by what became of its first SMS, whatever is wrong with it by now. */
  async send(wanted: WantedSms, cause: Cause): Promise<ExecuteResult> {
    const { ids, log, segmentPriceMicros } = this.#parts;
    const { accountId } = wanted;
    const hold = newHold(accountId, segmentPriceMicros, cause.metadata);
    const checked = {
      sms_id: await ids.next(),
      hold_id: hold?.holdId ?? null,
      command_id: cause.command?.commandId ?? null,
    };
    const attempt = { wanted, cause, checked, hold };
    const { metadata } = cause;
    return sendOnce(
      {
        hold,
        refusedUnpaid: ['invalid', 'insufficient_balance'],
        prepare: () => log.prepare(checked, accountId, cause),
        answer: (earlier) => log.answer(earlier, accountId, cause),
        renew: () => log.renew(checked, accountId, metadata),
        begin: () => this.#begin(attempt),
        handOver: (begun) => this.#handOver(attempt, begun),
        abandon: () => log.abandon(checked, accountId, metadata),
        takeBack: () => log.change(checked.sms_id, accountId, metadata, (state) => takeBack(state, checked)),
      },
      this.#parts,
    );
  }

  /**
   * The id of the SMS that the command has sent, also when the carrier reported that late; `null` while none is known.
   */
  async sentFor(commandId: string, accountId: number): Promise<number | null> {
    const { log, sql } = this.#parts;
    const id = await smsChecks.ofRequest(sql, commandId);
    if (id === null) return null;
    const { state, accountId: owner } = await log.load(id);
    return owner === accountId && isSent(state) ? id : null;
  }

  /** Reserves the price and records the send; a rejection when it cannot be sent. */
  async #begin({ wanted, cause, checked, hold }: Attempt): Promise<Begun | Rejection> {
    const wrong = refusalOf(wanted);
    if (wrong) return wrong;
    const { balance, clock, log, segmentPriceMicros, sql } = this.#parts;
    const secondsLeft = wanted.notAfter === null ? null : await countdown(clock, wanted.notAfter);
    if (secondsLeft && secondsLeft() <= 0) return tooLate;
    const { accountId, customerPhone } = wanted;
    const country = countryOf(customerPhone) ?? null;
    const number = await findSmsNumber(sql, { accountId, country });
    if (!number)
      return reject('invalid', {
        message: 'The account has no phone number that can send SMS.',
        retryAfterSeconds: noNumberSeconds,
      });
    const segments = segmentsOf(wanted.body);
    const amountMicros = segments * segmentPriceMicros;
    if (hold) {
      const refused = await balance
        .reserve(hold, {
          amountMicros,
          description: `SMS to ${customerPhone}${segments > 1 ? ` (${segments} segments)` : ''}`,
          reference: `sms/${checked.sms_id}`,
        })
        .catch(orUnavailable);
      if (refused) return refused;
    }
    const start: StartedSms = {
      ...checked,
      lead_id: wanted.leadId,
      campaign_id: wanted.campaignId,
      phone_number_id: number.id,
      own_phone: number.phone_number,
      customer_phone: customerPhone,
      body: wanted.body,
      price_micros: amountMicros,
    };
    const result = await log.change(checked.sms_id, accountId, cause.metadata, (state) =>
      startSend(state, start),
    );
    // `decide` rejects only with codes of the contracts.
    return result.kind === 'rejected' ? (result.rejection as Rejection) : { start, secondsLeft };
  }

  /**
   * Hands the SMS over, once. It is on record by now, and the carrier's answer is recorded through any outage of the
   * database.
   */
  async #handOver(
    { wanted: { accountId }, cause, hold }: Attempt,
    { start, secondsLeft }: Begun,
  ): Promise<ExecuteResult> {
    const { balance, carrier, closing, log, statusUrlOf } = this.#parts;
    const { sms_id: id, own_phone: from, customer_phone: to, body, price_micros: priceMicros } = start;
    const record = (decide: (state: Sms) => ReturnType<typeof recordUnknown>) =>
      throughOutages(closing, () => log.change(id, accountId, cause.metadata, decide));
    // An SMS that was recorded in the last second is sent in the next.
    const validForSeconds = secondsLeft && Math.max(1, secondsLeft());
    const outcome = await carrier.sendSms({
      ...{ from, to, body, validForSeconds },
      statusUrl: statusUrlOf(smsStream(id)),
    });
    switch (outcome.kind) {
      case 'ok': {
        // Charged before it is answered; where accounts does not answer, `sms-check` does it later.
        const isPaid = hold === null || (await isDone(balance.capture(hold, priceMicros)));
        const sent = { carrierSid: outcome.value.sid, payment: isPaid ? 'charged' : 'open' } as const;
        return throughOutages(closing, () => log.complete(start, accountId, cause.metadata, sent));
      }
      case 'unknown':
        await record((state) => recordUnknown(state, outcome.message));
        await untilTold(() => log.isOpen(id));
        return log.answer(id, accountId, cause);
      case 'rejected':
      case 'unavailable': {
        const code = outcome.kind === 'rejected' ? outcome.code : null;
        const refusal = { code, reason: outcome.message };
        await record((state) => recordRefused(state, refusal));
        if (hold) await isDone(balance.release(hold));
        const isLater = outcome.kind === 'unavailable';
        const rejection = isLater
          ? reject('unavailable', { retryAfterSeconds: 5 })
          : sendFailed(code, outcome.message);
        return { kind: 'rejected', rejection };
      }
      default:
        return outcome satisfies never;
    }
  }
}

function refusalOf({ customerPhone, body }: WantedSms): Rejection | null {
  if (!isPhoneNumber(customerPhone))
    return invalidField('phone_number', 'The phone number field must be a valid number in E.164 format.');
  return body.trim() === '' || body.length > maxBody
    ? invalidField('body', `The body field must have 1 to ${maxBody} characters once it is filled in.`)
    : null;
}

/** Rejection outside of the campaign's hours, after which it takes its lead back. */
const tooLate = reject('invalid', { message: 'The window has closed.', retryAfterSeconds: 1 });

/** A function that returns the whole seconds until `moment` (ISO 8601), without another look at the platform clock. */
async function countdown(clock: Clock, moment: string): Promise<() => number> {
  const leftMs = Date.parse(moment) - (await clock.now()).getTime();
  const since = performance.now();
  const passed = () => Math.floor((performance.now() - since) / 1_000);
  return () => Math.floor(leftMs / 1_000) - passed();
}

/**
 * Turns a missing answer of accounts into a rejection; what may have been reserved is released before the request is
 * made again.
 */
function orUnavailable(error: unknown): Rejection {
  if (isUnanswered(error)) return reject('unavailable', { retryAfterSeconds: 1 });
  throw error;
}
