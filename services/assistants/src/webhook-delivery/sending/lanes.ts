import type { Ownership } from '@parley/processing';
import { type Claim, Line, type Unclaimed } from './line.ts';

export interface LanesOptions {
  /** Requests to one endpoint at a time. */
  readonly maxPerLane: number;
  readonly maxWaiting: number;
  /** Of one account, however many endpoints it has. */
  readonly maxWaitingPerAccount: number;
  readonly maxWaitingPerLane: number;
  /** Deliveries put off that are remembered; more come back by their timers alone. */
  readonly maxPutOff: number;
  /** One of the endpoint's places among all copies; undefined when the others have them all. */
  readonly takePlace: (lane: string) => Promise<Ownership | undefined>;
  /** Claims and offers what was put off, unless somebody else has. */
  readonly fetch: (unclaimed: Unclaimed) => Promise<void>;
  /** Never rejects. */
  readonly run: (claim: Claim) => Promise<void>;
}

/** How long to wait for a place that another copy holds, or for room that other endpoints take. */
const retryMs = 100;
const shortestPutOffMs = 500;
/** Between two returns of one account's deliveries that have no line: each costs an append. */
const returnEveryMs = 1;
const longestPutOffMs = 300_000;
/** Longest a remembered delivery is put off: if this process dies, its timer brings it back by then. */
const longestRememberedMs = 30_000;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref());

/** An endpoint of an account, for which others must not wait. */
const laneOf = ({ job }: Pick<Claim, 'job'>): string => `${job.account_id} ${job.url}`;

/** One line of deliveries for each endpoint, so that a slow one holds up nobody else. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lines = new Map<string, Line>();
  /** By delivery: its claim while it waits, `running` afterwards. */
  readonly #known = new Map<string, Claim | 'running'>();
  /** How many of them are whose. */
  readonly #knownOf = new Map<number, number>();
  /** When the last of an account's deliveries without a line returns, on the monotonic clock. */
  readonly #lastReturnOf = new Map<number, number>();
  #putOff = 0;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /**
   * Milliseconds until the delivery's turn is likely to come; null when there is room for it now, or it has a place
   * already. A line takes what it can send soon, in the order of asking; the rest is better kept in the database.
   */
  putOffMs(claim: Claim): number | null {
    const { delivery_id: id } = claim.job;
    if (this.#known.has(id)) return null;
    const line = this.#lines.get(laneOf(claim));
    const isFull = this.#isClosed || this.#roomFor(claim) <= 0;
    if (!line) return isFull ? this.#returnMs(claim) : null;
    const isNext = line.putOff.size === 0 || line.putOff.has(id);
    if (!isFull && isNext && line.waiting.length < this.#options.maxWaitingPerLane) return null;
    if (line.putOff.has(id)) return longestRememberedMs;
    const turnMs = Math.round(Math.max(line.joinEnd(performance.now()), shortestPutOffMs));
    return this.#canRemember ? Math.min(turnMs, longestRememberedMs) : turnMs;
  }

  /** What was put off, once its timer is moved: it is fetched as soon as there is room. */
  remember(unclaimed: Unclaimed): void {
    const { delivery_id: id } = unclaimed.job;
    const line = this.#lines.get(laneOf(unclaimed));
    if (!line || this.#known.has(id)) return;
    if (!line.putOff.has(id)) {
      if (!this.#canRemember) return;
      this.#putOff += 1;
    }
    line.putOff.set(id, unclaimed);
  }

  /**
   * A delivery that waits already has its lease renewed; one that is running is left alone, and one that comes too late
   * is claimed by others when its lease has run out.
   */
  offer(claim: Claim): void {
    const { delivery_id: id } = claim.job;
    const isNew = !this.#known.has(id);
    if (this.#isClosed || this.#known.get(id) === 'running') return;
    this.#known.set(id, claim);
    if (!isNew) return;
    this.#count(claim, 1);
    const key = laneOf(claim);
    const line = this.#lines.get(key) ?? new Line(this.#options.maxPerLane);
    this.#lines.set(key, line);
    this.#forget(line, id);
    line.waiting.push(claim);
    this.#pump(key, line);
  }

  /** Begins nothing more, and resolves when nothing runs. What waits is claimed by others when its lease has run out. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { waiting } of this.#lines.values())
      for (const claim of waiting.splice(0)) this.#forgetKnown(claim);
    if (this.#known.size > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
  }

  #pump(key: string, line: Line): void {
    while (!this.#isClosed && line.running < this.#options.maxPerLane) {
      const claim = line.waiting.shift();
      if (!claim) break;
      line.running += 1;
      void this.#run(key, line, claim);
    }
    if (line.isEmpty) this.#lines.delete(key);
    else void this.#fetch(key, line);
  }

  async #run(key: string, line: Line, claim: Claim): Promise<void> {
    const { delivery_id: id } = claim.job;
    const place = await this.#options.takePlace(key).catch(() => undefined);
    const isTurn = place !== undefined && !this.#isClosed;
    if (isTurn) {
      // Its lease may have been renewed while it waited.
      const known = this.#known.get(id);
      this.#known.set(id, 'running');
      const startedAt = performance.now();
      await this.#options.run(known === undefined || known === 'running' ? claim : known);
      line.took(performance.now() - startedAt);
    }
    await place?.release();
    if (isTurn || this.#isClosed) this.#forgetKnown(claim);
    else line.waiting.unshift(claim);
    line.running -= 1;
    if (isTurn) this.#pump(key, line);
    else void pause().then(() => this.#pump(key, line));
    if (this.#isClosed && this.#known.size === 0) this.#onIdle?.();
  }

  /** Fills a line that has become short with what was put off longest ago. */
  async #fetch(key: string, line: Line): Promise<void> {
    const { maxWaitingPerLane } = this.#options;
    const [first] = line.putOff.values();
    if (this.#isClosed || line.isFetching || !first) return;
    if (line.waiting.length > maxWaitingPerLane / 2) return;
    line.isFetching = true;
    const room = Math.min(maxWaitingPerLane - line.waiting.length, this.#roomFor(first));
    if (room > 0) await this.#fetchNext(line, room);
    else await pause();
    line.isFetching = false;
    this.#pump(key, line);
  }

  async #fetchNext(line: Line, count: number): Promise<void> {
    const next = [...line.putOff.values().take(count)];
    line.leaveEnd(next.length);
    await Promise.all(
      next.map(async (unclaimed) => {
        const { delivery_id: id } = unclaimed.job;
        // Its timer brings it back.
        await this.#options.fetch(unclaimed).catch(() => undefined);
        if (line.putOff.get(id) === unclaimed) this.#forget(line, id);
      }),
    );
  }

  get #canRemember(): boolean {
    return this.#putOff < this.#options.maxPutOff;
  }

  #forget(line: Line, id: string): void {
    if (line.putOff.delete(id)) this.#putOff -= 1;
  }

  /** No account takes all of it: its endpoints may be many, and slow. */
  #roomFor({ job }: Pick<Claim, 'job'>): number {
    const { maxWaiting, maxWaitingPerAccount } = this.#options;
    const own = this.#knownOf.get(job.account_id) ?? 0;
    return Math.min(maxWaiting - this.#known.size, maxWaitingPerAccount - own);
  }

  #returnMs({ job }: Pick<Claim, 'job'>): number {
    const now = performance.now();
    const last = this.#lastReturnOf.get(job.account_id) ?? 0;
    const at = Math.min(Math.max(last + returnEveryMs, now + shortestPutOffMs), now + longestPutOffMs);
    this.#lastReturnOf.set(job.account_id, at);
    return Math.round(at - now);
  }

  #forgetKnown(claim: Claim): void {
    if (this.#known.delete(claim.job.delivery_id)) this.#count(claim, -1);
  }

  #count({ job }: Claim, change: number): void {
    const count = (this.#knownOf.get(job.account_id) ?? 0) + change;
    if (count > 0) this.#knownOf.set(job.account_id, count);
    else {
      this.#knownOf.delete(job.account_id);
      this.#lastReturnOf.delete(job.account_id);
    }
  }
}
