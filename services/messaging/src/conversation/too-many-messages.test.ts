import { expect, test } from 'vitest';
import { areTooMany } from './too-many-messages.ts';

const minute = 60_000;
/** The ages of replies that were begun at this pace until now. */
const every = (ms: number, count: number) => Array.from({ length: count }, (_, n) => n * ms);

test.each([
  ['nothing', [], false],
  ['29 in a minute', every(2_000, 29), false],
  ['30 in a minute', every(2_000, 30), true],
  ['30, the first of them ten minutes ago', [...every(2_000, 29), 10 * minute], false],
  ['one a minute for three hours', every(minute, 180), false],
  ['one a minute since longer than that', every(minute, 200), true],
  ['200 in more than a day', every(8 * minute, 200), false],
])('%s', (_, agesMs, areSo) => {
  expect(areTooMany(agesMs)).toBe(areSo);
});
