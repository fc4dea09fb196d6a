import { Cron } from 'croner';

/** Moments by cron in a time zone; the platform clock is an argument. */
export class Schedule {
  readonly #cron: Cron;

  /** `cron` has no fault. */
  constructor(cron: string, timezone: string) {
    this.#cron = new Cron(cron, { paused: true, mode: '5-part', timezone, fixedTimeRule: 'no-wildcard' });
  }

  /** Why it is no schedule, as a sentence; null when it is one. */
  static faultOf(cron: string): string | null {
    try {
      return new Schedule(cron, 'UTC').next(new Date('2026-01-01T00:00:00Z'))
        ? null
        : 'The schedule never comes.';
    } catch {
      return 'The schedule must have five fields: minute, hour, day of the month, month, day of the week.';
    }
  }

  /**
   * The first moment after the given one. Minutes and hours that are numbers, lists or ranges name times of the day: one
   * that the change to summer time leaves out comes as soon as it is over, one that the change to winter time brings twice
   * comes once, the first time. With a wildcard or a step in them the schedule goes on by what the clock shows: in each of
   * two hours that are the same, in none that is left out.
   */
  next(after: Date): Date | null {
    return this.#cron.nextRun(after);
  }
}
