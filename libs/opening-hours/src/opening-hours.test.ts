import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOpenAt, nextClosing, nextOpening, type OpeningHours } from './opening-hours.ts';

const hours = (timezone: string, from: string, to: string, days = [1, 2, 3, 4, 5, 6, 7]): OpeningHours => ({
  timezone,
  windows: [{ days, from, to }],
});
const at = (iso: string) => new Date(iso);
const opening = (of: OpeningHours, iso: string) => nextOpening(of, at(iso))?.toISOString() ?? null;

test('without windows it is always open', () => {
  const always = { timezone: 'UTC', windows: [] };
  expect(isOpenAt(always, at('2026-11-21T03:00:00Z'))).toBe(true);
  expect(opening(always, '2026-11-21T03:00:00Z')).toBe('2026-11-21T03:00:00.000Z');
});

test('there are windows in every time zone that was ever taken', () => {
  const abbreviations = ['IST', 'CST', 'PST', 'JST', 'BST', 'ist'];
  for (const zone of [...Intl.supportedValuesOf('timeZone'), ...abbreviations]) {
    const always = hours(zone, '00:00', '00:00');
    expect(isOpenAt(always, at('2026-11-20T10:00:00Z')), zone).toBe(true);
  }
  const morning = hours('IST', '09:00', '10:00');
  expect(opening(morning, '2026-11-20T10:00:00Z')).toBe('2026-11-21T03:30:00.000Z');
  expect(isOpenAt(morning, at('2026-11-21T03:30:00Z'))).toBe(true);
});

describe('office hours in Berlin', () => {
  const office = hours('Europe/Berlin', '09:00', '17:30', [1, 2, 3, 4, 5]);
  test.each([
    ['2026-11-20T07:59:59.999Z', false],
    ['2026-11-20T08:00:00Z', true],
    ['2026-11-20T16:29:59.999Z', true],
    ['2026-11-20T16:30:00Z', false],
    ['2026-11-21T10:00:00Z', false],
  ])('at %s: %j', (iso, isOpen) => {
    expect(isOpenAt(office, at(iso))).toBe(isOpen);
  });

  test('open next on the next working day', () => {
    expect(opening(office, '2026-11-20T16:30:00Z')).toBe('2026-11-23T08:00:00.000Z');
    expect(opening(office, '2026-11-23T02:00:00Z')).toBe('2026-11-23T08:00:00.000Z');
  });

  test('follow summer time: an hour earlier in UTC', () => {
    expect(opening(office, '2026-07-03T20:00:00Z')).toBe('2026-07-06T07:00:00.000Z');
    // Clocks are set forward on Sunday 29 March 2026, back on Sunday 25 October.
    expect(opening(office, '2026-03-27T17:00:00Z')).toBe('2026-03-30T07:00:00.000Z');
    expect(opening(office, '2026-10-23T17:00:00Z')).toBe('2026-10-26T08:00:00.000Z');
  });
});

describe('a window over midnight', () => {
  const night = hours('America/New_York', '22:00', '02:00', [5]);
  test('belongs to the day on which it begins', () => {
    expect(isOpenAt(night, at('2026-11-21T03:00:00Z'))).toBe(true); // Friday 22:00
    expect(isOpenAt(night, at('2026-11-21T06:59:00Z'))).toBe(true); // Saturday 01:59
    expect(isOpenAt(night, at('2026-11-21T07:00:00Z'))).toBe(false);
    expect(isOpenAt(night, at('2026-11-20T06:00:00Z'))).toBe(false); // Friday 01:00
  });

  test('from a time to the same time is a whole day', () => {
    const day = hours('UTC', '00:00', '00:00', [3]);
    expect(isOpenAt(day, at('2026-11-18T00:00:00Z'))).toBe(true);
    expect(isOpenAt(day, at('2026-11-18T23:59:59Z'))).toBe(true);
    expect(isOpenAt(day, at('2026-11-19T00:00:00Z'))).toBe(false);
    expect(opening(day, '2026-11-19T00:00:00Z')).toBe('2026-11-25T00:00:00.000Z');
  });
});

describe('when clocks are set forward (Berlin, 29 March 2026, 02:00 to 03:00)', () => {
  test('a window in the skipped hour does not open that day', () => {
    const skipped = hours('Europe/Berlin', '02:15', '02:45');
    expect(opening(skipped, '2026-03-28T23:00:00Z')).toBe('2026-03-30T00:15:00.000Z');
  });

  test('a window that begins in it opens at its end', () => {
    const begun = hours('Europe/Berlin', '02:15', '04:00');
    expect(opening(begun, '2026-03-29T00:30:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  test('one that is on Sundays only opens a week later', () => {
    const sundays = hours('Europe/Berlin', '02:15', '02:45', [7]);
    expect(opening(sundays, '2026-03-28T23:00:00Z')).toBe('2026-04-05T00:15:00.000Z');
  });
});

describe('when clocks are set back (Berlin, 25 October 2026, 03:00 to 02:00)', () => {
  const repeated = hours('Europe/Berlin', '02:15', '02:45');
  test('a window in the hour that comes twice opens twice', () => {
    expect(opening(repeated, '2026-10-24T23:00:00Z')).toBe('2026-10-25T00:15:00.000Z');
    expect(isOpenAt(repeated, at('2026-10-25T00:30:00Z'))).toBe(true);
    expect(isOpenAt(repeated, at('2026-10-25T00:50:00Z'))).toBe(false);
    expect(opening(repeated, '2026-10-25T00:50:00Z')).toBe('2026-10-25T01:15:00.000Z');
  });

  test('a window that clocks are set back into opens again at that moment', () => {
    const entered = hours('Europe/Berlin', '01:50', '02:10');
    expect(opening(entered, '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:00:00.000Z');
  });
});

describe('a window closes', () => {
  const closing = (of: OpeningHours, iso: string) => nextClosing(of, at(iso))?.toISOString() ?? null;
  test('at its end, on the same day or the next one', () => {
    const office = hours('Europe/Berlin', '09:00', '17:30', [1, 2, 3, 4, 5]);
    expect(closing(office, '2026-11-20T08:00:00Z')).toBe('2026-11-20T16:30:00.000Z');
    const night = hours('America/New_York', '22:00', '02:00', [5]);
    expect(closing(night, '2026-11-21T03:00:00Z')).toBe('2026-11-21T07:00:00.000Z');
    expect(closing(night, '2026-11-21T06:59:00Z')).toBe('2026-11-21T07:00:00.000Z');
  });

  test('not where another one is open by then, and never where they are open day and night', () => {
    const morning = { days: [5], from: '09:00', to: '12:00' };
    const afternoon = { days: [5], from: '11:00', to: '18:00' };
    expect(closing({ timezone: 'UTC', windows: [morning, afternoon] }, '2026-11-20T09:30:00Z')).toBe(
      '2026-11-20T18:00:00.000Z',
    );
    expect(closing(hours('UTC', '00:00', '00:00'), '2026-11-20T09:30:00Z')).toBeNull();
    expect(closing({ timezone: 'UTC', windows: [] }, '2026-11-20T09:30:00Z')).toBeNull();
  });

  test('at its first end where it comes twice, and where clocks are set out of it', () => {
    const repeated = hours('Europe/Berlin', '02:15', '02:45');
    expect(closing(repeated, '2026-10-25T00:30:00Z')).toBe('2026-10-25T00:45:00.000Z');
    expect(closing(repeated, '2026-10-25T01:30:00Z')).toBe('2026-10-25T01:45:00.000Z');
    const skipped = hours('Europe/Berlin', '01:30', '02:30');
    expect(closing(skipped, '2026-03-29T00:45:00Z')).toBe('2026-03-29T01:00:00.000Z');
  });

  test('none within two days where windows follow one another for three, also when clocks are changed after that', () => {
    const windows = [
      { days: [7, 1, 2], from: '03:20', to: '03:20' },
      { days: [3], from: '00:00', to: '03:21' },
    ];
    expect(closing({ timezone: 'America/New_York', windows }, '2026-10-18T07:20:00Z')).toBeNull();
  });
});

test('a quarter-hour time zone is kept', () => {
  expect(opening(hours('Asia/Kathmandu', '09:00', '10:00'), '2026-11-21T00:00:00Z')).toBe(
    '2026-11-21T03:15:00.000Z',
  );
});

describe('whatever the windows, the zone and the moment', () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const window = fc.record({
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    from: clock,
    to: clock,
  });
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
  );
  const moment = fc
    .integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) })
    .map((ms) => new Date(ms));
  const openingHours = fc.record({
    timezone: zone,
    windows: fc.array(window, { minLength: 1, maxLength: 3 }),
  });
  /** Moments from one to the other, without the latter. */
  const between = (from: Date, to: Date) =>
    Array.from({ length: 20 }, (_, step) => {
      const span = to.getTime() - from.getTime();
      return new Date(from.getTime() + Math.floor((span * step) / 20));
    }).filter((each) => each < to);
  const holdsAlways = (property: (of: OpeningHours, now: Date) => void) =>
    fc.assert(fc.property(openingHours, moment, property), { numRuns: 300 });

  test('the next opening is open, is not in the past, and nothing is open before it', () => {
    holdsAlways((of, now) => {
      const next = nextOpening(of, now);
      if (!next) return;
      expect(next.getTime()).toBeGreaterThanOrEqual(now.getTime());
      expect(isOpenAt(of, next)).toBe(true);
      for (const before of between(now, next)) expect(isOpenAt(of, before)).toBe(false);
    });
  });

  test('from the next opening to the closing after it something is open, and nothing at that', () => {
    holdsAlways((of, now) => {
      const open = nextOpening(of, now);
      const closing = open && nextClosing(of, open);
      if (!closing) return;
      expect(isOpenAt(of, closing)).toBe(false);
      for (const before of between(open, closing)) expect(isOpenAt(of, before)).toBe(true);
    });
  });
});
