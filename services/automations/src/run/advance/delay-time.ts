import { ianaTimeZone } from '@parley/contracts';
import { nextOpening, type Window } from '@parley/opening-hours';
import { Temporal } from 'temporal-polyfill';
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
  window: Window | null,
): Resolved<DelayEnd> {
  try {
    const zone = ianaTimeZone(timezone);
    const start = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone);
    const end =
      'for' in spec ? start.add(Temporal.Duration.from(spec.for)) : readMoment(spec.until, timezone);
    const asked = end.epochMilliseconds;
    if (!window) return { ok: true, value: { asked, until: asked } };
    // A window cannot open in the past: where the delay is over already, its next opening is searched from now on.
    const opening = nextOpening({ timezone, windows: [window] }, new Date(Math.max(asked, now)));
    if (!opening) throw new Error('A window opens within a fortnight.');
    return { ok: true, value: { asked, until: opening.getTime() } };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const text = 'for' in spec ? spec.for : spec.until;
    const what = 'for' in spec ? 'an ISO 8601 duration' : 'a point in time';
    const message = `${JSON.stringify(text.slice(0, 64))} is not ${what}.`;
    return { ok: false, code: 'DELAY_INVALID', class: 'wiring_error', message };
  }
}
