import { describe, expect, test } from 'vitest';
import { parseMoment } from './moment.ts';

describe('a moment', () => {
  test.each([
    ['v:3', { version: 3 }],
    ['v3', { version: 3 }],
    ['version:12', { version: 12 }],
    ['p:120', { position: 120 }],
    ['position:0', { position: 0 }],
    ['now', {}],
    ['2026-11-21T02:04:31.123456Z', { time: '2026-11-21T02:04:31.123456Z' }],
    ['2026-11-21T02:04:31+01:00', { time: '2026-11-21T02:04:31+01:00' }],
  ])('%s is read', (text, moment) => {
    expect(parseMoment(text)).toEqual(moment);
  });

  test('as parley prints it can be given back: in UTC, with a blank', () => {
    expect(parseMoment('2026-11-21 02:04:31.123456')).toEqual({ time: '2026-11-21T02:04:31.123456Z' });
  });

  test('may leave out seconds, or the time of day', () => {
    expect(parseMoment('2026-11-21 02:04')).toEqual({ time: '2026-11-21T02:04:00Z' });
    expect(parseMoment('2026-11-21')).toEqual({ time: '2026-11-21T00:00:00Z' });
  });

  test.each([
    '',
    'v:',
    'v:-1',
    'x:3',
    '3',
    'yesterday',
    '2026-13-01',
    '2026-02-30',
    '2026-11-21T05:00:00+24:00',
    '2026-11-21T25:00:00Z',
    'v:1e3',
  ])('"%s" is none', (text) => {
    expect(parseMoment(text)).toBeUndefined();
  });
});
