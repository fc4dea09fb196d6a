import type { Ownership } from '@parley/processing';
import { type Claim, Line, type Unclaimed } from './line.ts';

/** Limits of the lines of this process, and what they call. */
export interface LanesOptions {
  /** Requests to one endpoint at a time. */
  readonly maxPerLane: number;
  /** How many deliveries of this process may wait or be under way. */
  readonly maxWaiting: number;
  /** How many of them may be of one account, however many endpoints it has. */
  readonly maxWaitingPerAccount: number;
  /** How many may wait for one endpoint. */
  readonly maxWaitingPerLane: number;
  /** How many deliveries without room are remembered; more than these come back by their timers alone. */
  readonly maxPutOff: number;
  /** Takes one of the endpoint's places, which all copies share; undefined when others have them all. */
  readonly takePlace: (lane: string) => Promise<Ownership | undefined>;
  /** Claims a delivery that was put off and offers it again, unless somebody else has claimed it. */
  readonly fetch: (unclaimed: Unclaimed) => Promise<void>;
  /** Never rejects. */
  readonly run: (claim: Claim) => Promise<void>;
}

/** How soon to look again for a place that another copy holds, or for room that other endpoints take. */
const retryMs = 100;
const shortestPutOffMs = 500;
/** Distance between the returns of an account's deliveries that have no line: each return costs an append. */
const returnEveryMs = 1;
const longestPutOffMs = 300_000;
/** The longest that a remembered delivery is put off: if this process dies, its timer brings it back by then. */
const longestRememberedMs = 30_000;

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref());

/** An endpoint of an account, whose line holds up no other. */
const laneOf = ({ job }: Pick<Claim, 'job'>): string => `${job.account_id} ${job.url}`;

/** One line of deliveries for each endpoint, so that a slow one holds up nobody else. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lines = new Map<string, Line>();
  /** By delivery: its claim while it waits, `running` afterwards. */
  readonly #known = new Map<string, Claim | 'running'>();
  /** How many of them belong to each account. */
  readonly #knownOf = new Map<number, number>();
  /** When the last of an account's deliveries without a line is to return, on the process's monotonic clock. */
  readonly #lastReturnOf = new Map<number, number>();
  #putOff = 0;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /**
   * For how many milliseconds the delivery is to be put off, until its turn is likely; null when there is room for it
   * now, or it is in a line already. A line takes what it can send soon, in the order of asking; the rest is better
   * kept in the database.
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

  /** Whether a delivery that nobody has seen yet would be sent at once. */
  isFree({ job }: Pick<Claim, 'job'>): boolean {
    if (this.#isClosed || this.#known.has(job.delivery_id) || this.#roomFor({ job }) <= 0) return false;
    const line = this.#lines.get(laneOf({ job }));
    return !line || (line.running < this.#options.maxPerLane && line.putOff.size === 0);
  }

  /** Remembers a delivery that was put off and whose timer was moved: it is fetched as soon as there is room. */
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
   * Puts a claimed delivery into its endpoint's line. One that waits there already has its lease renewed, and one that
   * is being sent is left alone. After `close`, nothing is taken: others claim it when its lease has run out.
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

  /**
   * Begins nothing more, and resolves when nothing is being sent. Others claim what waits when its lease has run out.
   */
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
      // The lease may have been renewed while the delivery waited.
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

  /** Fills a line that has become short with the deliveries that were put off longest ago. */
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
        // Where this fails, the delivery's timer brings it back.
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

  /**
   * How many more deliveries may wait: by the limit of all, and by the account's, whose endpoints may be many and slow.
   */
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
