import { Nap } from '@parley/batching';
import { closeClient, type EventStore, lookUpTime, sessionSilenceMs } from '@parley/event-store';
import type pg from 'pg';
import { openClient, withHeartbeats } from '../database.ts';
import { backoffMs, longestOutagePauseMs, pause } from '../outages/backoff.ts';
import type { OnProblem } from '../problem.ts';
import type { WorkInHand } from '../work-in-hand.ts';
import { findTimersAhead, keepTaken, letGo, type TakeOptions, takeDueTimers } from './due-timers.ts';
import { fireTimer } from './fire-timer.ts';
import { Parked } from './parked.ts';
import type { DueTimer, TimerHandler } from './timer.ts';

export interface TimersOptions {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  /** By timer kind; kinds without a handler are left to other processes. */
  readonly handlers: Readonly<Record<string, TimerHandler>>;
  /** How fast a process works off timers that are late, as after an outage; 2,000 when absent. */
  readonly maxPerSecond?: number;
  readonly onProblem?: OnProblem;
  /** Where timers say what they are at. */
  readonly inHand?: WorkInHand;
}

export interface RunningTimers {
  /** Resolves when the timers being fired are done. */
  close(): Promise<void>;
}

/**
 * Timers that are set for the next two seconds and clocks that are moved wake; this is for those set for later, and for
 * what a connection lost without saying so.
 */
const longestSleepMs = 1_000;
const roundSize = 250;
/** Timers that take longer hold up no others, as when what they ask gives no answer. */
const patienceMs = 1_000;
/** With so many under way, others wait: each holds what its handler has read. */
const maxSlow = 4 * roundSize;
/** The processor that fires them, for whoever is told what it does. */
export const timersProcessor = 'timers';
/** What a process has taken that hangs or is cut off is left to others; one whose handlers take long keeps it. */
const connection = { ...lookUpTime, idle_in_transaction_session_timeout: sessionSilenceMs };

/**
 * Fires timers when they are due on the platform clock: never early, each once, in the transaction of the append that
 * its handler returns. Any number of processes share the work without a leader. Late timers all fire, at a pace that
 * leaves room for commands.
 */
export function startTimers(options: TimersOptions): RunningTimers {
  const closing = new AbortController();
  const running = new Timers(options, closing.signal).run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

class Timers {
  readonly #options: TimersOptions;
  readonly #signal: AbortSignal;
  readonly #nap: Nap;
  /** A timer whose handler fails is never given up. */
  readonly #parked = new Parked();
  /** What is being fired, by id. */
  readonly #firing = new Map<string, Promise<void>>();
  /** What took longer than its round, and is kept from other processes until it is done. */
  readonly #kept = new Set<string>();

  constructor(options: TimersOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#nap = new Nap(signal);
  }

  async run(): Promise<void> {
    for (let outages = 0; !this.#signal.aborted; ) {
      const client = await this.#connect().catch((error: unknown) => this.#report(error, ++outages));
      if (client) {
        try {
          for (;;) {
            await this.#nap.sleep(await this.#round(client));
            outages = 0;
            if (this.#signal.aborted) break;
          }
        } catch (error) {
          this.#report(error, ++outages);
        } finally {
          if (this.#signal.aborted) await withHeartbeats(client, () => this.#untilDone());
          await closeClient(client);
        }
      }
      if (outages > 0) await pause(backoffMs(outages, 100, longestOutagePauseMs), this.#signal);
    }
    await this.#untilDone();
  }

  async #untilDone(): Promise<void> {
    await Promise.all(this.#firing.values());
  }

  async #connect(): Promise<pg.Client> {
    const client = await openClient(this.#options.pool, timersProcessor, connection);
    // Those that were kept were so by the session before.
    this.#kept.clear();
    client.on('notification', () => this.#nap.wake());
    await client.query('listen es_timers');
    return client;
  }

  /** Fires what is due; returns how long to sleep. */
  async #round(client: pg.Client): Promise<number> {
    await this.#letGo(client);
    const wanted = {
      kinds: Object.keys(this.#options.handlers),
      except: [...this.#parked.waiting(), ...this.#firing.keys()],
    };
    const lookedAt = performance.now();
    const { isDue, nextInMs } = await findTimersAhead(client, wanted);
    const sleepMs = isDue
      ? await this.#fireDue(client, wanted)
      : (nextInMs ?? longestSleepMs) - (performance.now() - lookedAt);
    return Math.max(Math.min(sleepMs, longestSleepMs, this.#parked.nextMs()), 0);
  }

  /** Returns how long it is until the next timer that was not due as it began; nothing when there may be more to fire. */
  async #fireDue(client: pg.Client, wanted: Omit<TakeOptions, 'limit'>): Promise<number> {
    await client.query('begin');
    const takenAt = performance.now();
    const due = await takeDueTimers(client, { ...wanted, limit: roundSize });
    await withHeartbeats(client, () => this.#fireAll(due));
    const slow = due.map(({ id }) => id).filter((id) => this.#firing.has(id));
    if (slow.length > 0) await keepTaken(client, slow);
    for (const id of slow) this.#kept.add(id);
    // Asked in the same transaction, whose clock stands still: no timer is in between.
    const { nextInMs } = await findTimersAhead(client, wanted);
    await client.query('commit');
    if (due.length < roundSize) return (nextInMs ?? longestSleepMs) - (performance.now() - takenAt);
    const { maxPerSecond = 2_000 } = this.#options;
    await pause((due.length / maxPerSecond) * 1_000, this.#signal);
    return 0;
  }

  /** Resolves when all are done, or those that are not are so slow that others need not wait for them. */
  async #fireAll(due: readonly DueTimer[]): Promise<void> {
    const round = due.map((timer) => {
      const firing = this.#fire(timer).finally(() => this.#firing.delete(timer.id));
      this.#firing.set(timer.id, firing);
      return firing;
    });
    const done = new AbortController();
    const all = Promise.all(round).then(() => done.abort());
    await (this.#firing.size > maxSlow ? all : Promise.race([all, pause(patienceMs, done.signal)]));
  }

  async #letGo(client: pg.Client): Promise<void> {
    const done = [...this.#kept].filter((id) => !this.#firing.has(id));
    if (done.length === 0) return;
    await letGo(client, done, done.length === this.#kept.size);
    for (const id of done) this.#kept.delete(id);
  }

  async #fire(timer: DueTimer): Promise<void> {
    const { store, handlers, inHand, pool } = this.#options;
    const handler = handlers[timer.kind];
    const end = inHand?.begin(timersProcessor, { timer: timer.id });
    try {
      if (handler) await fireTimer(timer, handler, { store, sql: pool });
      this.#parked.done(timer.id);
    } catch (error) {
      this.#report(error, this.#parked.failed(timer.id), timer.id);
    } finally {
      end?.();
    }
  }

  #report(error: unknown, attempt: number, timer?: string): undefined {
    const failed = { kind: 'retrying', processor: timersProcessor, error, attempt, position: null } as const;
    this.#options.onProblem?.(timer === undefined ? failed : { ...failed, timer });
  }
}
