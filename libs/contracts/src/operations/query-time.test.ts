import { expect, test } from 'vitest';
import { operations } from '../index.ts';

const asking = operations.flatMap(({ name, query }) =>
  ['as_of', 'since', 'until'].flatMap((field) => {
    const time = query?.shape[field];
    return time ? [{ name, field, time }] : [];
  }),
);

test('there are queries about a time', () => expect(asking.length).toBeGreaterThan(6));

test.each(asking)('$field of $name knows the plus sign of an offset that was not encoded', ({ time }) => {
  for (const written of ['2026-11-23T10:00:00 02:00', '2026-11-23T10:00:00+02:00'])
    expect(time.parse(written)).toBe('2026-11-23T10:00:00+02:00');
  expect(time.parse('2026-11-23T10:00:00Z')).toBe('2026-11-23T10:00:00Z');
  expect(time.parse(undefined)).toBeUndefined();
});
