import { describe, expect, test } from 'vitest';
import { sizeOf } from './size-of.ts';

const mebibyte = 1024 * 1024;

describe('the size of a state', () => {
  test.each([
    ['a text', 'x'.repeat(mebibyte)],
    ['an object', { name: 'x'.repeat(mebibyte) }],
    ['a list in an object', { names: ['x'.repeat(mebibyte)] }],
    ['a map', new Map([['name', { text: 'x'.repeat(mebibyte) }]])],
    ['the keys of a map', new Map([['x'.repeat(mebibyte), 1]])],
    ['a set', new Set(['x'.repeat(mebibyte)])],
    ['a thousand parts and more', Array.from({ length: 1_001 }, () => 0)],
  ])('counts %s', (_, state) => {
    expect(sizeOf(state)).toBeGreaterThanOrEqual(mebibyte);
    expect(sizeOf(state)).toBeLessThan(1.1 * mebibyte);
  });

  test.each([null, undefined, 7, true, { id: 7, name: 'Sales', color: null }])(
    'is small where there is little: %j',
    (state) => expect(sizeOf(state)).toBeLessThan(200),
  );
});
