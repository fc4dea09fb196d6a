import type { EventMetadata } from '@parley/event-store';
import type { AttemptJob } from './attempt-timer.ts';

/** A delivery that this process looks after until its timer, which was moved to `leasedUntil`, is due. */
export interface Claim {
  readonly job: AttemptJob;
  /** ISO 8601. As long as the timer is due at this time, nobody else has claimed the delivery. */
  readonly leasedUntil: string;
  readonly metadata: EventMetadata;
  /** Of a delivery that is being queued: whether it is on record with this lease. */
  readonly isQueued?: Promise<boolean>;
}

/** A delivery that nobody has claimed as long as its timer is due at `dueAt` (ISO 8601). */
export interface Unclaimed {
  readonly job: AttemptJob;
  readonly dueAt: string;
  readonly metadata: EventMetadata;
}

const firstGuessMs = 100;
const maxDurations = 9;
const longestMs = 300_000;

/** What this process knows of one endpoint's deliveries, and an estimate of when those without room have their turn. */
export class Line {
  /** Claimed deliveries, the oldest first. */
  readonly waiting: Claim[] = [];
  /**
   * Deliveries without room for now, by id: their timers keep them, and they are fetched before these are due when
   * there is room earlier.
   */
  readonly putOff = new Map<string, Unclaimed>();
  running = 0;
  isFetching = false;
  readonly #maxRunning: number;
  /** How long the latest requests took. */
  readonly #durationsMs: number[] = [];
  /** When whatever joins next is likely to have its turn, on the clock of `joinEnd`. */
  #endsAtMs = 0;

  /** `maxRunning`: how many requests go to the endpoint at a time. */
  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  get isEmpty(): boolean {
    return this.running === 0 && this.waiting.length === 0 && this.putOff.size === 0;
  }

  /** Notes how long a request took, in milliseconds. */
  took(ms: number): void {
    this.#durationsMs.push(ms);
    if (this.#durationsMs.length > maxDurations) this.#durationsMs.shift();
  }

  /** Adds one delivery to the end of the line; returns the milliseconds until its turn, at most five minutes. */
  joinEnd(nowMs: number): number {
    const slotMs = this.#slotMs();
    const turnAtMs = Math.max(this.#endsAtMs, nowMs + this.waiting.length * slotMs);
    this.#endsAtMs = Math.min(turnAtMs + slotMs, nowMs + longestMs);
    return Math.min(turnAtMs - nowMs, longestMs);
  }

  /** Notes that so many have left the end of the line before their turn. */
  leaveEnd(count: number): void {
    this.#endsAtMs -= count * this.#slotMs();
  }

  /**
   * Time from one turn to the next, in milliseconds. By the median of durations: when a process stood still, whatever
   * was under way seems to have taken as long.
   */
  #slotMs(): number {
    const sorted = this.#durationsMs.toSorted((a, b) => a - b);
    return (sorted[Math.floor(sorted.length / 2)] ?? firstGuessMs) / this.#maxRunning;
  }
}
