import type { EventMetadata } from '@parley/event-store';
import type { Ownership } from '@parley/processing';
import type { AttemptJob } from './attempt-timer.ts';

/** A delivery that this process looks after until its timer, which is moved to `leasedUntil`, is due. */
export interface Claim {
  readonly job: AttemptJob;
  /** ISO 8601: as long as the timer is due then, nobody else has claimed the delivery. */
  readonly leasedUntil: string;
  readonly metadata: EventMetadata;
}

export interface LanesOptions {
  /** Requests to one endpoint at a time. */
  readonly maxPerLane: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerLane: number;
  /** One of the endpoint's places among all copies; undefined when the others have them all. */
  readonly takePlace: (lane: string) => Promise<Ownership | undefined>;
  /** Never rejects. */
  readonly run: (claim: Claim) => Promise<void>;
}

interface Lane {
  readonly waiting: Claim[];
  running: number;
  /** Put off, and not made up for yet by ones that are done. */
  putOff: number;
  /** How long one takes, of late. */
  meanMs: number;
}

/** How long to wait for a place that another copy holds. */
const placeRetryMs = 100;
const firstGuessMs = 100;
const shortestPutOffMs = 500;
const longestPutOffMs = 300_000;
/** How much the newest counts. */
const weight = 0.1;

/** An endpoint of an account, for which others must not wait. */
const laneOf = ({ job }: Claim): string => `${job.account_id} ${job.url}`;

/** One line of deliveries for each endpoint, so that a slow one holds up nobody else. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  /** By delivery: its claim while it waits, `running` afterwards. */
  readonly #known = new Map<string, Claim | 'running'>();
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /**
   * Milliseconds until there will be room for one more, or null when there is: a line takes what it can send soon, and
   * the rest is better kept in the database until its turn is near. What is known already has its place.
   */
  putOffMs(claim: Claim): number | null {
    if (this.#known.has(claim.job.delivery_id)) return null;
    const { maxPerLane, maxWaiting, maxWaitingPerLane } = this.#options;
    const lane = this.#lanes.get(laneOf(claim));
    const isFull = this.#isClosed || this.#known.size >= maxWaiting;
    if (!lane) return isFull ? shortestPutOffMs : null;
    if (!isFull && lane.waiting.length < maxWaitingPerLane) return null;
    const before = lane.waiting.length + lane.putOff;
    lane.putOff += 1;
    const turnInMs = (before * lane.meanMs) / maxPerLane;
    return Math.round(Math.min(Math.max(turnInMs, shortestPutOffMs), longestPutOffMs));
  }

  /** A delivery that waits already has its lease renewed; one that is running is left alone. */
  offer(claim: Claim): void {
    const { delivery_id: id } = claim.job;
    const isNew = !this.#known.has(id);
    if (this.#known.get(id) === 'running') return;
    this.#known.set(id, claim);
    if (!isNew) return;
    const key = laneOf(claim);
    const lane = this.#lanes.get(key) ?? {
      waiting: [],
      running: 0,
      putOff: 0,
      meanMs: firstGuessMs,
    };
    this.#lanes.set(key, lane);
    lane.waiting.push(claim);
    this.#pump(key, lane);
  }

  /** Begins nothing more, and resolves when nothing runs. What waits is claimed by others when its lease has run out. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { waiting } of this.#lanes.values())
      for (const { job } of waiting.splice(0)) this.#known.delete(job.delivery_id);
    if (this.#known.size > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
  }

  #pump(key: string, lane: Lane): void {
    while (!this.#isClosed && lane.running < this.#options.maxPerLane) {
      const claim = lane.waiting.shift();
      if (!claim) break;
      lane.running += 1;
      void this.#run(key, lane, claim);
    }
    if (lane.running === 0 && lane.waiting.length === 0) this.#lanes.delete(key);
  }

  async #run(key: string, lane: Lane, claim: Claim): Promise<void> {
    const { delivery_id: id } = claim.job;
    const place = await this.#options.takePlace(key).catch(() => undefined);
    const isTurn = place !== undefined && !this.#isClosed;
    if (isTurn) {
      // Its lease may have been renewed while it waited.
      const known = this.#known.get(id);
      this.#known.set(id, 'running');
      const startedAt = performance.now();
      await this.#options.run(known === undefined || known === 'running' ? claim : known);
      lane.meanMs += weight * (performance.now() - startedAt - lane.meanMs);
      lane.putOff = Math.max(0, lane.putOff - 1);
    }
    await place?.release();
    if (isTurn || this.#isClosed) this.#known.delete(id);
    else lane.waiting.unshift(claim);
    lane.running -= 1;
    if (isTurn) this.#pump(key, lane);
    else setTimeout(() => this.#pump(key, lane), placeRetryMs).unref();
    if (this.#isClosed && this.#known.size === 0) this.#onIdle?.();
  }
}
