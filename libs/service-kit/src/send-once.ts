import type { Rejection } from '@parley/contracts';
import type { ExecuteResult } from '@parley/event-store';
import { throughOutages, underLease } from '@parley/processing';
import { type AccountBalance, type Hold, isDone } from './account-balance.ts';

/** Something that is paid for and handed over once for a request. `Intent` is what is on record of it before that. */
export interface PaidSend<Intent extends object> {
  /** Of its price; `null` where it costs nothing. */
  readonly hold: Hold | null;
  /** Codes of the refusals that come before anything is set aside. */
  readonly refusedUnpaid: readonly string[];
  /** Sets the check that cleans up, and ties the request to it. Resolves to what the request is tied to already. */
  readonly prepare: () => Promise<number | null>;
  /** The answer of a request that was made before, by what became of it then. */
  readonly answer: (earlierId: number) => Promise<ExecuteResult>;
  /** Keeps the check away: somebody is still at it. */
  readonly renew: () => Promise<unknown>;
  /** Sets its price aside and puts the intent on record. */
  readonly begin: () => Promise<Intent | Rejection>;
  /** Never called a second time for what is on record. */
  readonly handOver: (intent: Intent) => Promise<ExecuteResult>;
  /** Takes the preparation back: nothing is on record and nothing set aside. */
  readonly abandon: () => Promise<unknown>;
  /** The same where nobody knows what is on record. */
  readonly takeBack: () => Promise<unknown>;
}

interface Means {
  readonly balance: AccountBalance;
  readonly closing: AbortSignal;
}

/**
 * Prepares, begins and hands over. Of two requests with one command id only one is carried out. What fails before it
 * is handed over is taken back, as if it had never been asked for; if the process dies in between, the check settles
 * it.
 */
export async function sendOnce<Intent extends object>(
  send: PaidSend<Intent>,
  { balance, closing }: Means,
): Promise<ExecuteResult> {
  const { hold } = send;

  /** As soon as that can be said; should it fail, the check does it. */
  const takeBackLater = (): void => {
    void throughOutages(closing, send.takeBack)
      .then(() => hold && balance.release(hold))
      .catch(() => undefined);
  };

  const orTakenBack = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      takeBackLater();
      throw error;
    }
  };

  const begin = async (): Promise<Intent | Rejection> => {
    const begun = await send.begin();
    if (!isRefusal(begun)) return begun;
    const isFree = !hold || send.refusedUnpaid.includes(begun.code) || (await isDone(balance.release(hold)));
    if (isFree) await send.abandon();
    // Where accounts gives no answer, the check asks again.
    else takeBackLater();
    return begun;
  };

  const earlier = await orTakenBack(send.prepare);
  if (earlier !== null) return send.answer(earlier);
  return underLease(send.renew, async () => {
    const begun = await orTakenBack(begin);
    return isRefusal(begun) ? { kind: 'rejected', rejection: begun } : send.handOver(begun);
  });
}

const isRefusal = (begun: object | Rejection): begun is Rejection => 'code' in begun;
