import { Cron } from 'croner';

/** The moments of a cron expression in a time zone; the platform clock is an argument. */
export class Schedule {
  readonly #cron: Cron;

  /** Throws when `cron` has a fault (`faultOf`). */
  constructor(cron: string, timezone: string) {
    this.#cron = new Cron(cron, { paused: true, mode: '5-part', timezone, fixedTimeRule: 'no-wildcard' });
  }

  /** Why the text is no schedule, as a sentence; null when it is one. */
  static faultOf(cron: string): string | null {
    if (isDate(cron)) return fieldFault(cron);
    try {
      return new Schedule(cron, 'UTC').next(new Date('2026-01-01T00:00:00Z'))
        ? null
        : 'The schedule never comes.';
    } catch {
      return fieldFault(cron);
    }
  }

  /**
   * The first moment after the given one; null when none comes. Minutes and hours that are numbers, lists or ranges
   * name times of the day: one that is skipped when clocks are set forward comes as soon as the change is over, one
   * that comes twice when they are set back counts the first time only. With a wildcard or a step in them the schedule
   * follows what the clock shows: in both of two hours that are the same, in none that is skipped.
   */
  next(after: Date): Date | null {
    return this.#cron.nextRun(after);
  }
}

/** Whether it is read as a date: a schedule of one moment, which never comes where that is over. */
const isDate = (cron: string): boolean => cron.includes(':');

const fields = [
  { name: 'minute', numbers: '0 to 59' },
  { name: 'hour', numbers: '0 to 23' },
  { name: 'day of the month', numbers: '1 to 31' },
  { name: 'month', numbers: '1 to 12' },
  { name: 'day of the week', numbers: '0 to 7' },
] as const;

/**
 * The fault of a schedule that cannot be read: its first field that cannot be read with wildcards in all others either.
 */
function fieldFault(cron: string): string {
  const texts = cron.trim().split(/\s+/);
  const wildcards = fields.map(() => '*');
  const isWrong = (text: string, at: number) => !isReadable(wildcards.with(at, text).join(' '));
  const wrong = texts.length === fields.length ? texts.findIndex(isWrong) : -1;
  const field = fields[wrong];
  if (!field) return `The schedule must have five fields: ${fields.map(({ name }) => name).join(', ')}.`;
  return `The ${field.name} "${texts[wrong]}" must be *, ${field.numbers}, a range that goes up, a list, or a step of * or of a range (*/2).`;
}

function isReadable(cron: string): boolean {
  try {
    new Schedule(cron, 'UTC');
    return true;
  } catch {
    return false;
  }
}
