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

/** How far ahead an opening is looked for: a window all of which is left out opens a week later. */
const horizonDays = 14;

const onTheMinute = { second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 };

function nextOpen(
  moment: Temporal.ZonedDateTime,
  { days, from, to }: BusinessWindow,
): Temporal.ZonedDateTime {
  const [opens, closes] = [Temporal.PlainTime.from(from), Temporal.PlainTime.from(to)];
  const { hour, minute } = opens;
  const horizon = moment.add({ days: horizonDays });
  for (let at = moment; Temporal.ZonedDateTime.compare(at, horizon) <= 0; at = nextJump(at)) {
    if (!days.includes(at.dayOfWeek)) continue;
    const time = at.toPlainTime();
    if (Temporal.PlainTime.compare(time, opens) < 0) {
      // Where clocks are set back an hour comes twice: this stays in the one that it is.
      const opening = at.with({ ...onTheMinute, hour, minute });
      // Another time where they are set forward over the opening: then the change may lead into the window.
      if (opening.toPlainTime().equals(opens)) return opening;
    } else if (Temporal.PlainTime.compare(time, closes) < 0) return at;
  }
  throw new RangeError('The window never opens.');
}

/** When the time of day does not go on from what it was: as the next day begins, or clocks are changed before that. */
function nextJump(moment: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const tomorrow = moment.toPlainDate().add({ days: 1 }).toZonedDateTime(moment.timeZoneId);
  const change = moment.getTimeZoneTransition('next');
  return change && Temporal.ZonedDateTime.compare(change, tomorrow) < 0 ? change : tomorrow;
}
