import { rejections } from '@parley/contracts';
import {
  type BusClient,
  type BusRejection,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  ServiceUnavailable,
  TooManyInFlight,
} from '../wire/message.ts';
import { Hedges } from './hedges.ts';
import { Outages } from './outages.ts';

/**
 * Silence in milliseconds after which another copy is asked: 1 s, doubled with each try that is still silent. A
 * copy may have died with the request, but the more copies are silent, the more likely they are only slow.
 */
const doubtMs = (silentTries: number): number => 1_000 * 2 ** silentTries;
const retryDelayMs = 100;
const longestRetryDelayMs = 400;
/** A request that may not ask another copy now (see `Hedges`) looks again after so many milliseconds. */
const hedgeAgainMs = 200;

/**
 * Asks a service until there is an answer or `timeoutMs` have passed, always with the same command id, so that a
 * command whose answer was lost is not carried out twice.
 * - A copy that has not answered for 1 s may be dead or slow: another copy is asked beside it, and further ones after
 *   2 and 4 more seconds; the first answer counts. `Hedges` limits how many such tries a process makes.
 * - A failure, and that a message was not sent, count as the answer only when no other copy may still succeed.
 * - While no copy is there, or what the service needs is down, it asks again, unless the outage has lasted longer than
 *   a restart takes.
 * - While the service says that the same command is still running, it asks again: to the deadline where an earlier try
 *   may be that one, and else for `patienceMs`, as when the process that sent it first died.
 *
 * Rejects with `ServiceUnavailable` when no copy got the request, and with `RequestTimedOut` when the outcome is still
 * unknown at the deadline.
 */
export type Ask = (request: BusRequest, timeoutMs: number) => Promise<BusReply>;

/** Milliseconds. */
export interface AskTimes {
  /**
   * How long requests wait for the end of an outage, counted from its beginning, and for the end of the same command
   * that another process sent; 0 for who has other ways to wait.
   */
  readonly patienceMs: number;
  /** After which a command that is still running is asked for again; 100 when absent. */
  readonly stillRunningMs?: number;
}

/** Makes the `Ask` of one process. */
export function createAsk(
  bus: Pick<BusClient, 'request'>,
  { patienceMs, stillRunningMs = retryDelayMs }: AskTimes,
): Ask {
  const times = { patienceMs, stillRunningMs };
  const outages = new Outages(patienceMs);
  const hedges = new Hedges();
  return (request, timeoutMs) =>
    new Promise((resolve, reject) =>
      new Asking(bus, outages, hedges, times, request, timeoutMs, resolve, reject).ask(),
    );
}

/** Of background work, for which nobody waits, and which tries again by itself where there was no answer. */
export const inBackground: AskTimes = { patienceMs: 0, stillRunningMs: 500 };

class Asking {
  readonly #bus: Pick<BusClient, 'request'>;
  readonly #outages: Outages;
  readonly #hedges: Hedges;
  readonly #times: Required<AskTimes>;
  readonly #request: BusRequest;
  readonly #timeoutMs: number;
  readonly #resolve: (reply: BusReply) => void;
  readonly #reject: (error: unknown) => void;
  readonly #deadline: number;
  /**
   * Until when (monotonic clock) a command that another process sent is waited for; not so long that no time is left
   * to ask once more.
   */
  readonly #firstUntil: number;
  /** Numbers of the tries that have no reply yet. */
  readonly #unheardOf = new Set<number>();
  #tries = 0;
  /**
   * Numbers of the tries without a reply that were made while others were silent; each holds a place of `#hedges`.
   */
  readonly #besideOthers = new Set<number>();
  #isOutcomeUnknown = false;
  /** A failure that one copy replied, passed on unless another copy answers soon. */
  #failure: BusReply | undefined;
  /**
   * `#spoilt` counts the tries that an outage ended; until `#patientUntil` (monotonic clock) more of them are made.
   */
  #spoilt = 0;
  #patientUntil = Number.POSITIVE_INFINITY;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    bus: Pick<BusClient, 'request'>,
    outages: Outages,
    hedges: Hedges,
    times: Required<AskTimes>,
    request: BusRequest,
    timeoutMs: number,
    resolve: (reply: BusReply) => void,
    reject: (error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#outages = outages;
    this.#hedges = hedges;
    this.#times = times;
    this.#request = request;
    this.#timeoutMs = timeoutMs;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = performance.now() + timeoutMs;
    this.#firstUntil = performance.now() + Math.min(times.patienceMs, timeoutMs - times.stillRunningMs);
    hedges.begin();
  }

  ask(): void {
    const waitMs = this.#deadline - performance.now();
    const { context } = this.#request;
    // A copy that comes to the request only after this time does not begin it: another copy has been asked by then.
    const silenceMs = doubtMs(this.#unheardOf.size);
    const timeoutMs = Math.max(1, Math.floor(Math.min(waitMs, silenceMs)));
    this.#askAgainIn(silenceMs);
    this.#tries += 1;
    const number = this.#tries;
    this.#unheardOf.add(number);
    this.#bus.request({ ...this.#request, context: { ...context, timeoutMs }, waitMs }).then(
      (reply) => this.#onReply(reply, number),
      (error: unknown) => this.#onError(error, number),
    );
  }

  #askAgainIn(ms: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    const leftMs = this.#deadline - performance.now();
    this.#timer = setTimeout(() => (ms < leftMs ? this.#askAgain() : this.#giveUp()), Math.min(ms, leftMs));
  }

  #askAgain(): void {
    if (this.#failure) {
      this.#giveUp();
      return;
    }
    if (this.#unheardOf.size > 0) {
      if (!this.#hedges.take()) {
        this.#askAgainIn(hedgeAgainMs);
        return;
      }
      this.#besideOthers.add(this.#tries + 1);
      this.#isOutcomeUnknown = true;
    }
    this.ask();
  }

  #onReply(reply: BusReply, number: number): void {
    this.#heardOf(number);
    this.#failure = undefined;
    const undecidedMs = this.#undecidedMsOf(reply, number);
    if (undecidedMs === null) this.#end(() => this.#resolve(reply));
    else this.#askAgainIn(undecidedMs);
  }

  /**
   * In how many milliseconds to ask again when the reply does not tell what became of the other tries; `null` when
   * it is the answer.
   */
  #undecidedMsOf(reply: BusReply, number: number): number | null {
    const { subject } = this.#request;
    const isAway = reply.kind === 'rejected' && reply.rejection.isOutage === true;
    if (!isAway) this.#outages.isOver(subject);
    if (reply.kind === 'ok') return null;
    if (isAway && this.#isWorthWaiting()) {
      // The service may have begun the work before it met the outage.
      this.#isOutcomeUnknown = true;
      return this.#nextRetryMs();
    }
    const { code, retryAfterSeconds = 1 } = reply.rejection;
    if (code === 'idempotency_in_progress') {
      const isWaitedFor = this.#isOutcomeUnknown || performance.now() < this.#firstUntil;
      return isWaitedFor ? this.#times.stillRunningMs : null;
    }
    if (this.#unheardOf.size === 0) return null;
    // What was not sent may be sent under the same id, as another try may be about to: only that one can tell.
    if (code === 'send_failed') return Number.POSITIVE_INFINITY;
    if (!isFailure(reply.rejection)) return null;
    // An earlier try may have died with its copy: ask again. A later one will still answer.
    const isInDoubt = [...this.#unheardOf].some((earlier) => earlier < number);
    if (isInDoubt) return retryAfterSeconds * 1000;
    // The other tries meet the same outage, and each asks again by itself when it hears of that.
    if (isAway) return null;
    if (code !== 'unavailable') return Number.POSITIVE_INFINITY;
    // For example its provider was slow. The other copies may still succeed and say so soon, or may be dead.
    this.#failure = reply;
    return doubtMs(this.#unheardOf.size);
  }

  #onError(error: unknown, number: number): void {
    const isAway = error instanceof ServiceUnavailable && !(error instanceof TooManyInFlight);
    if (error instanceof ServiceUnavailable) this.#heardOf(number);
    const isUnknown =
      error instanceof RequestTimedOut || (this.#isOutcomeUnknown && error instanceof ServiceUnavailable);
    if (isAway && this.#isWorthWaiting()) this.#askAgainIn(this.#nextRetryMs());
    else if (isUnknown) this.#askAgainIn(retryDelayMs);
    else this.#end(() => this.#reject(error));
  }

  #heardOf(number: number): void {
    this.#unheardOf.delete(number);
    if (!this.#isOver && this.#besideOthers.delete(number)) this.#hedges.giveBack();
  }

  /** Whether the outage is still young enough to wait for its end; other requests may have met it earlier. */
  #isWorthWaiting(): boolean {
    this.#patientUntil = Math.min(this.#patientUntil, this.#outages.met(this.#request.subject));
    return performance.now() < this.#patientUntil;
  }

  #nextRetryMs(): number {
    this.#spoilt += 1;
    return Math.min(retryDelayMs * 2 ** (this.#spoilt - 1), longestRetryDelayMs);
  }

  #giveUp(): void {
    const failure = this.#failure;
    const silence = `${this.#request.subject} gave no answer in ${this.#timeoutMs} ms.`;
    this.#end(() => (failure ? this.#resolve(failure) : this.#reject(new RequestTimedOut(silence))));
  }

  #end(settle: () => void): void {
    // A second copy may answer, too; only the first answer counts.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#hedges.end(this.#besideOthers.size);
    clearTimeout(this.#timer);
    settle();
  }
}

/** Whether the copy failed (5xx, or with a code that nobody knows) rather than refused: another copy may succeed. */
const isFailure = ({ code }: BusRejection): boolean => (known[code]?.status ?? 500) >= 500;

const known: Readonly<Record<string, { readonly status: number } | undefined>> = rejections;
