import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '@parley/contracts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { type EventFilter, type LogEvent, readHead, readLog } from './event-log.ts';
import type { Operator } from './operator.ts';

/** How long a service is waited for, in milliseconds; a later answer comes with the next call. */
const patienceMs = 500;

/** Reads new events of the logs of all services. A service that does not answer is caught up with when it does. */
export class LogFollower {
  readonly #operator: Operator;
  readonly #filter: EventFilter;
  /** By service, the position up to which its log was read. */
  readonly #positions: Map<string, number>;
  readonly #lateFrom: number;
  /** Services of which it was said that they do not answer. */
  readonly #silent: Set<string>;
  /** Services whose answer is still open; they are not asked again meanwhile. */
  readonly #asked = new Set<string>();
  #fresh: LogEvent[] = [];

  /**
   * `positions`: where to begin in each log. A service that is missing there did not answer yet, which was said: its
   * log is read from `lateFrom`, or from its end when that is 0.
   */
  constructor(
    operator: Operator,
    filter: EventFilter,
    positions: ReadonlyMap<string, number>,
    lateFrom: number,
  ) {
    this.#operator = operator;
    this.#filter = filter;
    this.#positions = new Map(positions);
    this.#lateFrom = lateFrom;
    this.#silent = new Set(serviceNames.filter((service) => !positions.has(service)));
  }

  /** The events since the last call, by time. Resolves early when `stop` is aborted. */
  async next(stop: AbortSignal): Promise<readonly LogEvent[]> {
    const isOver = new AbortController();
    const patience = AbortSignal.any([stop, isOver.signal]);
    const rested = serviceNames.filter((service) => !this.#asked.has(service));
    await Promise.race([
      Promise.all(rested.map((service) => this.#take(service, stop))),
      sleep(patienceMs, undefined, { signal: patience }).catch(() => undefined),
    ]);
    isOver.abort();
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh.sort((a, b) => a.recorded_at.localeCompare(b.recorded_at));
  }

  async #take(service: string, stop: AbortSignal): Promise<void> {
    this.#asked.add(service);
    try {
      const events = await this.#readUnlessSilent(service, stop);
      this.#fresh = [...this.#fresh, ...events];
    } finally {
      this.#asked.delete(service);
    }
  }

  async #readUnlessSilent(service: string, stop: AbortSignal): Promise<readonly LogEvent[]> {
    try {
      const events = await this.#read(service);
      if (this.#silent.delete(service)) process.stderr.write(`${service} answers again.\n`);
      return events;
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error;
      // After `stop` nobody waits for the answer, so its absence is not reported.
      if (!this.#silent.has(service) && !stop.aborted) process.stderr.write(`${error.message}\n`);
      this.#silent.add(service);
      return [];
    }
  }

  async #read(service: string): Promise<readonly LogEvent[]> {
    const head = await readHead(this.#operator, service);
    const after = this.#positions.get(service) ?? (this.#lateFrom || head);
    const events: LogEvent[] = [];
    for await (const event of readLog(this.#operator, service, this.#filter, after, head)) events.push(event);
    this.#positions.set(service, Math.max(after, head));
    return events;
  }
}
