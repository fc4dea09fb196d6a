import { ianaTimeZone } from '@parley/contracts';
import { Temporal } from 'temporal-polyfill';

/** Times of day on some weekdays; one that does not end later than it begins ends on the next day. */
export interface Window {
  /** ISO weekdays: 1 is Monday. */
  readonly days: readonly number[];
  /** `HH:MM` */
  readonly from: string;
  readonly to: string;
}

/** When something may be done; at any time when there are no windows. */
export interface OpeningHours {
  /** A name of a time zone as the API takes it. */
  readonly timezone: string;
  readonly windows: readonly Window[];
}

/**
 * Whether a window is open: whether the time of day in the time zone is in one. When clocks are set back, a time that
 * comes twice is in its window twice; a time that is skipped is in none.
 */
export function isOpenAt({ timezone, windows }: OpeningHours, at: Date): boolean {
  if (windows.length === 0) return true;
  const local = zoned(at, timezone);
  const time = local.toPlainTime().toString({ smallestUnit: 'minute' });
  const yesterday = ((local.dayOfWeek + 5) % 7) + 1;
  return windows.some((window) => {
    const { days, from, to } = window;
    if (!endsNextDay(window)) return days.includes(local.dayOfWeek) && from <= time && time < to;
    return (days.includes(local.dayOfWeek) && from <= time) || (days.includes(yesterday) && time < to);
  });
}

/**
 * How far ahead openings are looked for: a window whose every beginning falls into skipped hours opens a week later.
 */
const horizonDays = 14;

/** The first moment from `at` on at which a window is open; null when there is none within a fortnight. */
export function nextOpening(hours: OpeningHours, at: Date): Date | null {
  if (isOpenAt(hours, at)) return at;
  const { timezone, windows } = hours;
  const now = zoned(at, timezone);
  const openings = clockChanges(now, horizonDays);
  for (let day = 0; day <= horizonDays; day += 1) {
    const date = now.toPlainDate().add({ days: day });
    for (const { days, from } of windows)
      if (days.includes(date.dayOfWeek)) openings.push(...moments(date, from, timezone));
  }
  const next = openings
    .sort((a, b) => a - b)
    .find((opening) => opening > at.getTime() && isOpenAt(hours, new Date(opening)));
  return next === undefined ? null : new Date(next);
}

/** How far ahead closings are looked for. */
const closingDays = 2;

/** The first moment after `at` at which no window is open any more; null when there is none within two days. */
export function nextClosing(hours: OpeningHours, at: Date): Date | null {
  const { timezone, windows } = hours;
  if (windows.length === 0) return null;
  const now = zoned(at, timezone);
  const closings = clockChanges(now, closingDays);
  // A window that began yesterday may end today.
  for (let day = -1; day <= closingDays; day += 1) {
    const date = now.toPlainDate().add({ days: day });
    for (const window of windows)
      if (window.days.includes(date.dayOfWeek))
        closings.push(...moments(date.add({ days: endsNextDay(window) ? 1 : 0 }), window.to, timezone));
  }
  const next = closings
    .sort((a, b) => a - b)
    .find((closing) => closing > at.getTime() && !isOpenAt(hours, new Date(closing)));
  return next === undefined ? null : new Date(next);
}

/** Whether a window ends on the following day: `22:00` to `02:00`, and `00:00` to `00:00` for all day. */
const endsNextDay = ({ from, to }: Window): boolean => to <= from;

const zoned = (at: Date, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(ianaTimeZone(timezone));

/**
 * The moments at which the clock shows `time` on that day, in milliseconds since the epoch: two where clocks are set
 * back over it.
 */
function moments(date: Temporal.PlainDate, time: string, timezone: string): number[] {
  const zone = ianaTimeZone(timezone);
  const local = date.toPlainDateTime(Temporal.PlainTime.from(time));
  return (['earlier', 'later'] as const).map(
    (disambiguation) => local.toZonedDateTime(zone, { disambiguation }).epochMilliseconds,
  );
}

/**
 * When clocks are changed within so many days, in milliseconds since the epoch: a change may lead right into a window, or
 * out of one.
 */
function clockChanges(now: Temporal.ZonedDateTime, days: number): number[] {
  const end = now.add({ days }).epochMilliseconds;
  const changes: number[] = [];
  for (
    let change = now.getTimeZoneTransition('next');
    change;
    change = change.getTimeZoneTransition('next')
  ) {
    if (change.epochMilliseconds > end) break;
    changes.push(change.epochMilliseconds);
  }
  return changes;
}
