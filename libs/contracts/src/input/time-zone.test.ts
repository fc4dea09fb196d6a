import { expect, test } from 'vitest';
import { ianaTimeZone, timeZone } from './time-zone.ts';

const isTaken = (name: string): boolean => timeZone().safeParse(name).success;

test('every time zone of IANA is taken, the short names among them', () => {
  const short = ['CET', 'EET', 'EST', 'GMT', 'HST', 'MET', 'MST', 'PRC', 'ROC', 'ROK', 'UCT', 'UTC', 'WET'];
  for (const name of [...Intl.supportedValuesOf('timeZone'), ...short, 'EST5EDT', 'utc', 'europe/berlin']) {
    expect(isTaken(name), name).toBe(true);
    expect(ianaTimeZone(name)).toBe(name);
  }
});

test.each(['+01:00', 'Europe/Nowhere', 'XYZ', ''])('%j is no time zone', (name) => {
  expect(isTaken(name)).toBe(false);
});

test('an abbreviation that several zones share is none, and what was taken before keeps its zone', () => {
  for (const name of ['IST', 'BST', 'CST', 'PST', 'JST', 'AST', 'ist'])
    expect(isTaken(name), name).toBe(false);
  expect(['IST', 'JST', 'CST', 'pst'].map(ianaTimeZone)).toEqual([
    'Asia/Calcutta',
    'Asia/Tokyo',
    'America/Chicago',
    'America/Los_Angeles',
  ]);
});
