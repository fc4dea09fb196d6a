import { ianaTimeZone } from '@parley/contracts';
import { Temporal } from 'temporal-polyfill';
import type { JsonValue } from '../json.ts';

/** Longest text that can be a moment, with room for the longest name of a time zone. */
const longestMoment = 100;

/**
 * The moment that an ISO 8601 text names. Without an offset, or a zone in brackets, it is a local time of the time
 * zone; a date alone is the beginning of its day there. Throws a `RangeError` for what is no moment.
 */
export function readMoment(text: string, timezone: string): Temporal.ZonedDateTime {
  if (text.length > longestMoment) throw new RangeError('The text is too long.');
  const zone = ianaTimeZone(timezone);
  if (text.includes('[')) return Temporal.ZonedDateTime.from(text).withTimeZone(zone);
  if (/[T ].*[Z+-]/i.test(text)) return Temporal.Instant.from(text).toZonedDateTimeISO(zone);
  return Temporal.PlainDateTime.from(text).toZonedDateTime(zone);
}

/** As {@link readMoment}, but undefined for every value that is no moment. */
export function parseInstant(value: JsonValue | undefined, timezone: string): Date | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return new Date(readMoment(value, timezone).epochMilliseconds);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * The formatter of a time zone. They are kept, because making one costs far more than using it; there are a few hundred
 * zones.
 */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formatters.set(timezone, made);
  return made;
}

const fields: Readonly<Record<string, Intl.DateTimeFormatPartTypes>> = {
  yyyy: 'year',
  MM: 'month',
  dd: 'day',
  HH: 'hour',
  mm: 'minute',
  ss: 'second',
};

/**
 * Writes a moment by a pattern of `yyyy`, `MM`, `dd`, `HH`, `mm` and `ss`, in the time zone; everything else stands for
 * itself.
 */
export function formatDate(instant: Date, pattern: string, timezone: string): string {
  const parts = new Map(
    formatterOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  return pattern.replace(/yyyy|MM|dd|HH|mm|ss/g, (field) => {
    const type = fields[field];
    return (type && parts.get(type)) ?? field;
  });
}

/**
 * The first part of a pattern that looks like a field and is none, as those of other libraries (`DD.MM.YYYY`, `d.M.`,
 * `EEEE`): it would be sent out as it is written. A letter behind its own field is a unit (`HH h mm`). Undefined when
 * there is none.
 */
export function unknownDateField(pattern: string): string | undefined {
  const isUnit = (run: string): boolean => pattern.includes(run === 'h' ? 'HH' : run.repeat(2));
  return (pattern.match(/\p{L}+/gu) ?? [])
    .filter((word) => /^[yYMdDEHhms]+$/.test(word))
    .flatMap((word) => (word.match(/(.)\1*/g) ?? []).filter((run) => run === word || run.length > 1))
    .find((run) => !Object.hasOwn(fields, run) && !(run.length === 1 && isUnit(run)));
}

export const dateFields: readonly string[] = Object.keys(fields);
