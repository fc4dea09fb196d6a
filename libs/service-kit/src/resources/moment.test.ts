import { expect, test } from 'vitest';
import { momentOf } from './moment.ts';

test.each([
  ['0', { position: 0 }],
  ['42', { position: 42 }],
  ['2026-01-02T03:04:05.678901Z', { time: '2026-01-02T03:04:05.678901Z' }],
  ['2026-01-02T03:04:05.6789Z', { time: '2026-01-02T03:04:05.6789Z' }],
  // Answers leave out the microseconds of what they show.
  ['2026-01-02T03:04:05.678Z', { time: '2026-01-02T03:04:05.678999Z' }],
  ['2026-01-02T03:04:05.6Z', { time: '2026-01-02T03:04:05.600999Z' }],
  ['2026-01-02T03:04:05+02:00', { time: '2026-01-02T01:04:05.000999Z' }],
  // Postgres knows no offset of sixteen hours and more.
  ['2026-01-02T03:04:05.678901-23:59', { time: '2026-01-03T03:03:05.678901Z' }],
])('as_of=%s is understood', (asOf, moment) => {
  expect(momentOf(asOf)).toEqual(moment);
});

test.each([
  '',
  'yesterday',
  '-1',
  '1.5',
  '9999999999999999',
  '2026-02-30T00:00:00Z',
  '2026-01-02',
  // A year that Postgres does not know.
  '0000-06-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
])('as_of=%j is refused', (asOf) => {
  expect(momentOf(asOf)).toMatchObject({
    code: 'invalid',
    fields: { as_of: [expect.stringMatching(/^The as of field must be /)] },
  });
});
