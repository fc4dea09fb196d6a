import { serviceNames } from '@parley/contracts';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { type EventFilter, type LogEvent, readHead, readLog } from './event-log.ts';
import type { Operator } from './operator.ts';

/** Reads what comes to the logs of all services. One that does not answer is caught up with when it does. */
export class LogFollower {
  readonly #operator: Operator;
  readonly #filter: EventFilter;
  /** By service, up to where its log was read. */
  readonly #positions: Map<string, number>;
  readonly #lateFrom: number;
  readonly #silent = new Set<string>();

  /** A service that is not in `positions` was not there yet: it begins at `lateFrom`, or at its end when that is 0. */
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
  }

  /** What has come since the last time, by time. */
  async next(): Promise<readonly LogEvent[]> {
    const fresh = await Promise.all(serviceNames.map((service) => this.#readUnlessSilent(service)));
    return fresh.flat().sort((a, b) => a.recorded_at.localeCompare(b.recorded_at));
  }

  async #readUnlessSilent(service: string): Promise<readonly LogEvent[]> {
    try {
      const events = await this.#read(service);
      this.#silent.delete(service);
      return events;
    } catch (error) {
      if (!(error instanceof CommandFailed) || error.exitCode !== exitCodes.unreachable) throw error;
      if (!this.#silent.has(service)) process.stderr.write(`${error.message}\n`);
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
