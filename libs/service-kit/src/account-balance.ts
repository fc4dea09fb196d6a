import {
  captureBalance,
  checkBalance,
  type InternalMessage,
  type Micros,
  type Rejection,
  refundBalance,
  reject,
  releaseBalance,
  reserveBalance,
  type ServiceName,
  subjectOf,
} from '@parley/contracts';
import type { EventMetadata } from '@parley/event-store';
import {
  type BusClient,
  type BusRejection,
  type BusReply,
  internalContext,
  RequestTimedOut,
  ServiceUnavailable,
} from '@parley/message-bus';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';

const tryTimeoutMs = 1_000;
const maxTries = 2;

/** Where a reservation belongs: `holdId` is ours and used for this one only. */
export interface Hold {
  readonly accountId: number;
  readonly holdId: string;
  /** The request's id, so that the ledger's line is found from it. */
  readonly correlationId: string;
  /** What it follows from, so that the line stands below that in the trace. */
  readonly causationId: string;
}

/** What is to be set aside, and for what. */
interface Reservation {
  readonly amountMicros: Micros;
  /** It is over already: from all that is there, less where that is less, and refused where nothing is. */
  readonly isAtMost?: boolean;
  readonly description: string;
  readonly reference: string;
}

interface Answer {
  readonly reply: BusReply;
  /** Those before the last got no answer. */
  readonly tries: number;
}

/** The part of a `Hold` that says what it belongs to: what caused the call or the message that is paid for. */
export const traceOf = ({
  correlationId,
  causationId,
}: EventMetadata): Pick<Hold, 'correlationId' | 'causationId'> => ({ correlationId, causationId });

/** For what costs this much; `null` for what costs nothing. */
export const newHold = (accountId: number, amountMicros: Micros, metadata: EventMetadata): Hold | null =>
  amountMicros === 0 ? null : { accountId, holdId: uuidv7(), ...traceOf(metadata) };

/** Resolves with whether the work succeeded, and never rejects: for work that a timer makes up for. */
export const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/**
 * Money of `accounts`. Each of these is done once for ever for a hold, so that asking again is safe. They throw the
 * bus's errors when accounts gives no answer: whether it was done is then unknown.
 */
export class AccountBalance {
  readonly #bus: BusClient;

  readonly #actorId: string;

  /** `service` is who says so in the ledger's history. */
  constructor(bus: BusClient, service: ServiceName) {
    this.#bus = bus;
    this.#actorId = service;
  }

  /** `null` when the money is set aside; else why not: then nothing is, and nothing will be under this hold. */
  async reserve(hold: Hold, payment: Reservation): Promise<Rejection | null> {
    const { amountMicros: amount_micros, isAtMost: at_most, ...about } = payment;
    const { reply, tries } = await this.#ask(reserveBalance, hold, {
      ...idsOf(hold),
      amount_micros,
      at_most,
      ...about,
    });
    if (reply.kind === 'ok') return null;
    switch (reply.rejection.code) {
      case 'insufficient_balance':
        // What got no answer may still be under way, and find that there is enough by then.
        if (tries > 1) await this.release(hold);
        return reject('insufficient_balance', whenAgain(reply.rejection));
      case 'hold_settled':
        // Given back before it was made, because it took too long: it may be asked for again, under another hold.
        return reject('unavailable', { retryAfterSeconds: 1 });
      default:
        throw noAnswer(reply.rejection);
    }
  }

  /** Whether so much could be set aside now, or could have been at a moment; takes nothing. */
  async check(
    accountId: number,
    amountMicros: Micros,
    correlationId: string,
    at?: string,
  ): Promise<z.output<typeof checkBalance.output>> {
    const about = { account_id: accountId, amount_micros: amountMicros, at };
    const { reply } = await this.#ask(checkBalance, { correlationId, causationId: correlationId }, about);
    if (reply.kind === 'rejected') throw noAnswer(reply.rejection);
    return checkBalance.output.parse(JSON.parse(reply.body));
  }

  /** Whether so much is there, also where it is set aside for something else; takes nothing. */
  async isThere(accountId: number, amountMicros: Micros, correlationId: string): Promise<boolean> {
    return (await this.check(accountId, amountMicros, correlationId)).total_micros >= amountMicros;
  }

  /** Spends it; a hold that was settled before is left as it is. `false` where there never was such a hold. */
  async capture(hold: Hold, amountMicros: Micros): Promise<boolean> {
    return settled(await this.#ask(captureBalance, hold, { ...idsOf(hold), amount_micros: amountMicros }));
  }

  /**
   * Spends what was reserved of it, for what is over already: that much, or `amountMicros` where a repetition cannot tell any
   * more. `null` where there never was such a hold.
   */
  async captureAtMost(hold: Hold, amountMicros: Micros): Promise<Micros | null> {
    const answer = await this.#ask(captureBalance, hold, {
      ...idsOf(hold),
      amount_micros: amountMicros,
      at_most: true,
    });
    if (!settled(answer)) return null;
    return answer.reply.kind === 'ok' ? (capturedIn(answer.reply.body) ?? amountMicros) : amountMicros;
  }

  /** Gives it back; a hold that was settled before, or never made, is left as it is. */
  async release(hold: Hold): Promise<void> {
    settled(await this.#ask(releaseBalance, hold, idsOf(hold)));
  }

  /** Gives it back whether it was spent or is only reserved; what was given back before is left as it is. */
  async refund(
    hold: Hold,
    about: { readonly description: string; readonly reference: string },
  ): Promise<void> {
    settled(await this.#ask(refundBalance, hold, { ...idsOf(hold), ...about }));
  }

  async #ask(
    message: InternalMessage,
    { correlationId, causationId }: Pick<Hold, 'correlationId' | 'causationId'>,
    payload: object,
  ): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        const reply = await this.#bus.request({
          service: message.service,
          subject: subjectOf(message),
          payload: JSON.stringify(payload),
          context: internalContext({
            accountId: null,
            actor: { kind: 'system', id: this.#actorId },
            correlationId,
            causationId,
            timeoutMs: tryTimeoutMs,
          }),
        });
        return { reply, tries };
      } catch (error) {
        if (tries >= maxTries || !(error instanceof RequestTimedOut)) throw error;
      }
    }
  }
}

const idsOf = ({ accountId, holdId }: Hold) => ({ account_id: accountId, hold_id: holdId });

/** An answer is emptied once a person is erased. */
const capturedIn = (body: string): Micros | undefined =>
  captureBalance.output.safeParse(body === '' ? null : JSON.parse(body)).data?.amount_micros;

const notToBeDone = new Set(['hold_settled', 'not_found']);

/** Whether there was such a hold. */
function settled({ reply }: Answer): boolean {
  if (reply.kind === 'ok') return true;
  if (!notToBeDone.has(reply.rejection.code)) throw noAnswer(reply.rejection);
  return reply.rejection.code !== 'not_found';
}

/** What makes no sense to accounts never will; everything else passes, as when its database is away. */
const senseless = new Set(['invalid', 'idempotency_key_reuse']);

/** When to try again, where accounts said so: the money is there, and set aside. */
const whenAgain = ({ retryAfterSeconds }: BusRejection): Pick<Rejection, 'retryAfterSeconds'> =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds };

/** Neither yes nor no. */
function noAnswer({ code }: BusRejection): Error {
  const message = `accounts: ${code}`;
  return senseless.has(code) ? new Error(message) : new ServiceUnavailable(message);
}
