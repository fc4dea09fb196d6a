/** At most `max` accepted attempts within any `windowMs` milliseconds. */
export interface RateLimit {
  readonly name: string;
  readonly max: number;
  readonly windowMs: number;
}

export interface RateLimitDecision {
  readonly isAllowed: boolean;
  /** The log to keep: accepted attempts that still count in some window, oldest first; this one too when consumed. */
  readonly log: readonly number[];
  /** The limit that the caller should know about: the one that refuses longest, else the one with the least left. */
  readonly limit: RateLimit;
  /** Attempts that `limit` still admits after this one. */
  readonly remaining: number;
  /** Seconds, rounded up, until an attempt is admitted again; 0 when this one is. */
  readonly retryAfterSeconds: number;
  /** Unix second, rounded up, at which `limit` has one more to give than now. */
  readonly resetAtSeconds: number;
}

interface Standing {
  readonly limit: RateLimit;
  readonly remaining: number;
  /** When the limit admits one attempt more than now. */
  readonly nextFreeMicros: number;
}

const microsPerMs = 1000;
const microsPerSecond = 1_000_000;

/**
 * Decides one attempt against all `limits` at once, exactly, for rolling windows: an attempt at `t` counts until, but not
 * at, `t + window`. Times are microseconds of one clock. A refused attempt consumes nothing, nor does one with
 * `consume: false`. When the clock went back, attempts of the future count as made now: they never outlive a window.
 * Pure; the caller serialises the decisions over one log. `limits` holds at least one.
 */
export function takeRateLimit(
  log: readonly number[],
  nowMicros: number,
  limits: readonly RateLimit[],
  consume = true,
): RateLimitDecision {
  const longest = Math.max(...limits.map(({ windowMs }) => windowMs)) * microsPerMs;
  const attempts = log.filter((at) => at > nowMicros - longest).map((at) => Math.min(at, nowMicros));
  const isAllowed = limits.every((limit) => countIn(attempts, nowMicros, limit) < limit.max);
  const kept = isAllowed && consume ? [...attempts, nowMicros] : attempts;
  const standing = limits.map((limit) => standingOf(kept, nowMicros, limit)).reduce(tighter);
  return {
    isAllowed,
    log: kept,
    limit: standing.limit,
    remaining: standing.remaining,
    retryAfterSeconds: isAllowed ? 0 : Math.ceil((standing.nextFreeMicros - nowMicros) / microsPerSecond),
    resetAtSeconds: Math.ceil(standing.nextFreeMicros / microsPerSecond),
  };
}

const countIn = (attempts: readonly number[], nowMicros: number, { windowMs }: RateLimit): number =>
  attempts.length - firstIn(attempts, nowMicros - windowMs * microsPerMs);

/** Index of the oldest attempt after `since`. */
function firstIn(attempts: readonly number[], since: number): number {
  const index = attempts.findIndex((at) => at > since);
  return index === -1 ? attempts.length : index;
}

function standingOf(attempts: readonly number[], nowMicros: number, limit: RateLimit): Standing {
  const window = limit.windowMs * microsPerMs;
  const first = firstIn(attempts, nowMicros - window);
  const count = attempts.length - first;
  // With more than `max` in the window (the limit was lowered) several must leave before one is admitted.
  const leaving = attempts[first + Math.max(0, count - limit.max)];
  return {
    limit,
    remaining: Math.max(0, limit.max - count),
    nextFreeMicros: leaving === undefined ? nowMicros : leaving + window,
  };
}

function tighter(a: Standing, b: Standing): Standing {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return b.nextFreeMicros > a.nextFreeMicros ? b : a;
}
