import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DelaySpec, delayEnd } from './delay-time.ts';

const berlin = 'Europe/Berlin';
const office = { days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' };

function end(now: string, spec: DelaySpec, window: typeof office | null = null): string {
  const result = delayEnd(Date.parse(now), spec, berlin, window);
  return result.ok ? new Date(result.value.until).toISOString() : result.code;
}

test.each([
  ['two hours', '2026-03-10T08:00:00Z', { for: 'PT2H' }, '2026-03-10T10:00:00.000Z'],
  [
    'a day over the spring gap is the same local time',
    '2026-03-28T09:00:00Z',
    { for: 'P1D' },
    '2026-03-29T08:00:00.000Z',
  ],
  [
    '24 hours over the spring gap are 24 hours',
    '2026-03-28T09:00:00Z',
    { for: 'PT24H' },
    '2026-03-29T09:00:00.000Z',
  ],
  ['a month from its last day', '2026-01-31T09:00:00Z', { for: 'P1M' }, '2026-02-28T09:00:00.000Z'],
  ['an instant', '2026-03-10T08:00:00Z', { until: '2026-04-01T12:00:00+02:00' }, '2026-04-01T10:00:00.000Z'],
  ['a local time', '2026-03-10T08:00:00Z', { until: '2026-04-01T12:00' }, '2026-04-01T10:00:00.000Z'],
  [
    'an instant in the past',
    '2026-03-10T08:00:00Z',
    { until: '2026-03-01T00:00:00Z' },
    '2026-03-01T00:00:00.000Z',
  ],
])('%s', (_name, now, spec, expected) => {
  expect(end(now, spec)).toBe(expected);
});

test.each([
  ['ends inside the window as it is', '2026-03-10T08:00:00Z', 'PT2H', '2026-03-10T10:00:00.000Z'],
  ['ends before it opens', '2026-03-10T03:00:00Z', 'PT1H', '2026-03-10T08:00:00.000Z'],
  ['ends as it closes', '2026-03-10T16:00:00Z', 'PT1H', '2026-03-11T08:00:00.000Z'],
  ['ends on a Saturday', '2026-03-13T10:00:00Z', 'P1D', '2026-03-16T08:00:00.000Z'],
])('a delay that %s is over when the window is next open', (_name, now, duration, expected) => {
  expect(end(now, { for: duration }, office)).toBe(expected);
});

test.each([
  ['2026-04-01T12:00:00+05:00', '2026-04-01T07:00:00.000Z'],
  ['2026-04-01 12:00:00+05:00', '2026-04-01T07:00:00.000Z'],
  ['2026-04-01 12:00:00Z', '2026-04-01T12:00:00.000Z'],
  ['2026-04-01t12:00z', '2026-04-01T12:00:00.000Z'],
  ['2026-04-01 12:00-0330', '2026-04-01T15:30:00.000Z'],
  ['2026-04-01 12:00', '2026-04-01T10:00:00.000Z'],
  ['2026-04-01', '2026-03-31T22:00:00.000Z'],
  ['2026-04-01T12:00[Asia/Tokyo]', '2026-04-01T03:00:00.000Z'],
  ['2026-04-01T12:00+09:00[Asia/Tokyo]', '2026-04-01T03:00:00.000Z'],
  ['2026-04-01T12:00Z[Asia/Tokyo]', '2026-04-01T12:00:00.000Z'],
])('a delay until %s ends then, in whatever way it is written', (until, expected) => {
  expect(end('2026-03-10T08:00:00Z', { until })).toBe(expected);
});

test('a window is open by the clock of the automation, whatever zone the end is written in', () => {
  expect(end('2026-03-10T08:00:00Z', { until: '2026-04-01T12:00[Asia/Tokyo]' }, office)).toBe(
    '2026-04-01T07:00:00.000Z',
  );
});

test('what is no time is the fault of the wiring', () => {
  for (const spec of [
    { for: 'two hours' },
    { until: 'tomorrow' },
    { for: '' },
    { until: '2026-02-30T00:00:00Z' },
    { until: '2026-04-01T12:00+01:00[Asia/Tokyo]' },
    { until: '2026-04-01T12:00+05:00[u-ca=iso8601]' },
    { until: `2026-04-01T12:00${' '.repeat(100)}` },
  ])
    expect(end('2026-03-10T08:00:00Z', spec)).toBe('DELAY_INVALID');
});

test('a window that opens in the hour that comes twice opens in the one that it is', () => {
  const night = { days: [7], from: '02:30', to: '04:00' };
  const opens = (asked: string) => end('2026-10-24T12:00:00Z', { until: asked }, night);
  expect(opens('2026-10-25T00:10:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(opens('2026-10-25T01:10:00Z')).toBe('2026-10-25T01:30:00.000Z');
  // Past its end in the first of the two hours, before its beginning in the second.
  const short = { days: [7], from: '02:15', to: '02:45' };
  expect(end('2026-10-24T12:00:00Z', { until: '2026-10-25T00:50:00Z' }, short)).toBe(
    '2026-10-25T01:15:00.000Z',
  );
});

test.each([
  ['opens in the hour that is left out opens with the change', '02:30', '04:00', '2026-03-29T01:00:00.000Z'],
  ['is all in that hour opens a week later', '02:15', '02:45', '2026-04-05T00:15:00.000Z'],
])('a window that %s', (_name, from, to, expected) => {
  const night = { days: [7], from, to };
  for (const until of ['2026-03-28T12:00:00Z', '2026-03-29T00:10:00Z'])
    expect(end('2026-03-28T11:00:00Z', { until }, night)).toBe(expected);
});

test('a window that is all in an hour that is left out at midnight opens a week later', () => {
  const saturday = Date.parse('2026-09-05T12:00:00Z');
  const afterMidnight = { days: [7], from: '00:15', to: '00:45' };
  expect(delayEnd(saturday, { for: 'PT1H' }, 'America/Santiago', afterMidnight)).toMatchObject({
    value: { until: Date.parse('2026-09-13T03:15:00Z') },
  });
});

test('a window never shortens a delay, and is open at its end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 0, max: 5e8 }), (now, ms) => {
      const spec = { for: `PT${Math.floor(ms / 1_000)}S` };
      const plain = delayEnd(now, spec, berlin, null);
      const moved = delayEnd(now, spec, berlin, office);
      if (!plain.ok || !moved.ok) throw new Error('Both are times.');
      expect(moved.value.asked).toBe(plain.value.until);
      expect(moved.value.until).toBeGreaterThanOrEqual(plain.value.until);
      const { until } = moved.value;
      expect(delayEnd(until, { for: 'PT0S' }, berlin, office)).toMatchObject({ value: { until } });
    }),
    { numRuns: 200 },
  );
});

test('a delay ends in every time zone that was ever taken', () => {
  const now = Date.parse('2026-03-10T08:00:00Z');
  for (const zone of [...Intl.supportedValuesOf('timeZone'), 'IST', 'CST', 'PST', 'JST', 'BST', 'ist'])
    expect(delayEnd(now, { for: 'P1D' }, zone, office), zone).toMatchObject({ ok: true });
  expect(delayEnd(now, { until: '2026-04-01T12:00' }, 'IST', null)).toMatchObject({
    ok: true,
    value: { until: Date.parse('2026-04-01T06:30:00Z') },
  });
});
