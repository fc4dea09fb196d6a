import { advanceClock, operatorSubject, serviceNames } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import type pg from 'pg';
import { operatorRequest } from '../bus/operator-request.ts';
import { type ClockOffset, targetOffset } from './offset.ts';

/**
 * The platform's clock as the outside world sees it: the machine's, moved forward by one absolute offset that survives
 * restarts. Every service holds the same offset in its own database; this one tells them.
 */
export class PlatformClock {
  #last: Promise<unknown> = Promise.resolve();
  #offset: ClockOffset;
  readonly #pool: pg.Pool;
  readonly #bus: BusClient;

  private constructor(pool: pg.Pool, bus: BusClient, offset: ClockOffset) {
    this.#pool = pool;
    this.#bus = bus;
    this.#offset = offset;
  }

  static async open(pool: pg.Pool, bus: BusClient): Promise<PlatformClock> {
    const { rows } = await pool.query<ClockOffset>(
      `select confirmed_seconds as "confirmedSeconds", announced_seconds as "announcedSeconds" from sandbox.clock`,
    );
    const [offset] = rows;
    if (!offset) throw new Error('The table sandbox.clock has no row.');
    return new PlatformClock(pool, bus, offset);
  }

  now(): Date {
    return new Date(Date.now() + this.#offset.confirmedSeconds * 1000);
  }

  get offsetSeconds(): number {
    return this.#offset.confirmedSeconds;
  }

  /**
   * Moves the clock of every service and then this one forward; resolves with the names of the services that did
   * not confirm (none when all did).
   */
  advance(seconds: number): Promise<readonly string[]> {
    const result = this.#last.then(() => this.#announce(targetOffset(this.#offset, seconds)));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /**
   * Tells every service the offset again; false when one did not confirm. Does nothing before the first advance,
   * and while an advance is half-way: its repetition tells them.
   */
  async remind(): Promise<boolean> {
    const { confirmedSeconds, announcedSeconds } = this.#offset;
    if (confirmedSeconds === 0 || confirmedSeconds !== announcedSeconds) return true;
    const confirmations = serviceNames.map((service) => this.#tell(service, confirmedSeconds));
    return (await Promise.all(confirmations)).every((isConfirmed) => isConfirmed);
  }

  async #announce(target: number): Promise<readonly string[]> {
    await this.#pool.query('update sandbox.clock set announced_seconds = $1', [target]);
    this.#offset = { ...this.#offset, announcedSeconds: target };
    const confirmations = await Promise.all(serviceNames.map((service) => this.#tell(service, target)));
    const missing = serviceNames.filter((_, index) => !confirmations[index]);
    if (missing.length > 0) return missing;
    await this.#pool.query('update sandbox.clock set confirmed_seconds = $1', [target]);
    this.#offset = { confirmedSeconds: target, announcedSeconds: target };
    return [];
  }

  async #tell(service: string, offsetSeconds: number): Promise<boolean> {
    try {
      const subject = operatorSubject(service, advanceClock);
      const reply = await this.#bus.request(
        operatorRequest(service, subject, { offset_seconds: offsetSeconds }),
      );
      return reply.kind === 'ok';
    } catch {
      return false;
    }
  }
}
