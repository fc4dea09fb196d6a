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
  ['2026-01-02T03:04:05+02:00', { time: '2026-01-02T03:04:05.000999+02:00' }],
])('as_of=%s is understood', (asOf, moment) => {
  expect(momentOf(asOf)).toEqual(moment);
});

test.each(['', 'yesterday', '-1', '1.5', '9999999999999999', '2026-02-30T00:00:00Z', '2026-01-02'])(
  'as_of=%j is refused',
  (asOf) => {
    expect(momentOf(asOf)).toMatchObject({ code: 'invalid', fields: { as_of: [expect.any(String)] } });
  },
);
