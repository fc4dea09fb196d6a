import { reject } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { expectedVersionOf } from './if-match.ts';

describe('If-Match', () => {
  test.each([
    [undefined, null],
    ['*', null],
    ['"12"', 12],
    [' "0" ', 0],
  ])('%j expects %j', (header, version) => {
    expect(expectedVersionOf(header)).toBe(version);
  });

  test.each(['', '12', 'W/"12"', '"abc"', '"1", "2"', '"-1"', `"${'9'.repeat(16)}"`])(
    '%j never matches',
    (header) => {
      expect(expectedVersionOf(header)).toEqual(reject('version_mismatch'));
    },
  );
});
