import { ianaTimeZone } from '@parley/contracts';
import { Temporal } from 'temporal-polyfill';
import type { BusinessWindow } from '../../definition/compiled.ts';
import { readMoment } from '../../expression/dates.ts';
import type { Resolved } from '../step-class.ts';

/** When a delay is over, in milliseconds since the epoch: as asked for, and as its business window moves it. */
export interface DelayEnd {
  readonly asked: number;
  readonly until: number;
}

/** How long a delay takes, as an ISO 8601 duration, or the point in time at which it is over. */
export type DelaySpec = { readonly for: string } | { readonly until: string };

/**
 * When a delay that begins at `now` (milliseconds since the epoch) is over, which may be in the past. Days and longer
 * units follow the calendar of the time zone. A business window moves the end to when it is next open. A spec that
 * cannot be read is a fault.
 */
export function delayEnd(
  now: number,
  spec: DelaySpec,
  timezone: string,
  window: BusinessWindow | null,
): Resolved<DelayEnd> {
  try {
    const zone = ianaTimeZone(timezone);
    const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const end =
      'for' in spec ? start.add(Temporal.Duration.from(spec.for)) : readMoment(spec.until, timezone);
    const asked = end.epochMilliseconds;
    if (!window) return { ok: true, value: { asked, until: asked } };
    // A window cannot open in the past: where the delay is over already, its next opening is searched from now on.
    const from = asked > now ? end : start;
    return { ok: true, value: { asked, until: nextOpen(from, window).epochMilliseconds } };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const text = 'for' in spec ? spec.for : spec.until;
    const what = 'for' in spec ? 'an ISO 8601 duration' : 'a point in time';
    const message = `${JSON.stringify(text.slice(0, 64))} is not ${what}.`;
    return { ok: false, code: 'DELAY_INVALID', class: 'wiring_error', message };
  }
}

function nextOpen(
  moment: Temporal.ZonedDateTime,
  { days, from, to }: BusinessWindow,
): Temporal.ZonedDateTime {
  const [opens, closes] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to)];
  const { hour, minute } = opens;
  let candidate = moment;
  for (let day = 0; day <= 7; day += 1) {
    if (days.includes(candidate.dayOfWeek)) {
      const time = candidate.toPlainTime();
      // Where clocks are set back an hour comes twice: this stays in the one that the candidate is in.
      if (Temporal.PlainTime.compare(time, opens) < 0)
        return candidate.with({ hour, minute, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 });
      if (Temporal.PlainTime.compare(time, closes) < 0) return candidate;
    }
    candidate = candidate.toPlainDate().add({ days: 1 }).toZonedDateTime(candidate.timeZoneId);
  }
  throw new RangeError('The window never opens.');
}
