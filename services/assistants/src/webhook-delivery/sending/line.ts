import type { EventMetadata } from '@parley/event-store';
import type { AttemptJob } from './attempt-timer.ts';

/** A delivery that this process looks after until its timer, which is moved to `leasedUntil`, is due. */
export interface Claim {
  readonly job: AttemptJob;
  /** ISO 8601: as long as the timer is due then, nobody else has claimed the delivery. */
  readonly leasedUntil: string;
  readonly metadata: EventMetadata;
}

/** A delivery that nobody has claimed, as long as its timer is due at `dueAt`, ISO 8601. */
export interface Unclaimed {
  readonly job: AttemptJob;
  readonly dueAt: string;
  readonly metadata: EventMetadata;
}

const firstGuessMs = 100;
const maxDurations = 9;
const longestMs = 300_000;

/** What this process knows of one endpoint's deliveries, and when those that have no room will have their turn. */
export class Line {
  /** Claimed, the oldest first. */
  readonly waiting: Claim[] = [];
  /** Without room for now: kept by their timers, and fetched before these are due if there is room earlier. */
  readonly putOff = new Map<string, Unclaimed>();
  running = 0;
  isFetching = false;
  readonly #maxRunning: number;
  /** Of the last that were done. */
  readonly #durationsMs: number[] = [];
  /** When the turn of what joins next is likely to come, on the clock that `joinEnd` is told. */
  #endsAtMs = 0;

  /** `maxRunning`: requests to the endpoint at a time. */
  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  get isEmpty(): boolean {
    return this.running === 0 && this.waiting.length === 0 && this.putOff.size === 0;
  }

  /** Notes how long one took. */
  took(ms: number): void {
    this.#durationsMs.push(ms);
    if (this.#durationsMs.length > maxDurations) this.#durationsMs.shift();
  }

  /** Puts one more to the line's end; milliseconds until its turn, at most five minutes. */
  joinEnd(nowMs: number): number {
    const slotMs = this.#slotMs();
    const turnAtMs = Math.max(this.#endsAtMs, nowMs + this.waiting.length * slotMs);
    this.#endsAtMs = Math.min(turnAtMs + slotMs, nowMs + longestMs);
    return Math.min(turnAtMs - nowMs, longestMs);
  }

  /** So many have left the line's end before their turn. */
  leaveEnd(count: number): void {
    this.#endsAtMs -= count * this.#slotMs();
  }

  /** The median: when a process stood still, what was under way then seems to have taken as long. */
  #slotMs(): number {
    const sorted = this.#durationsMs.toSorted((a, b) => a - b);
    return (sorted[Math.floor(sorted.length / 2)] ?? firstGuessMs) / this.#maxRunning;
  }
}
