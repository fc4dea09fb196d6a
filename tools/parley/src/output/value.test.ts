import { describe, expect, test } from 'vitest';
import { differences, inline, inlineFields, outline } from './value.ts';

describe('a value', () => {
  test('on one line names each field', () => {
    expect(inlineFields({ name: 'Sales', color: null, count: 2 })).toBe('name="Sales" color=null count=2');
  });

  test('as an outline has a field a line, nested ones below', () => {
    const state = { name: 'Sales', labels: [{ id: 1 }, 'x'], settings: { color: 'red' }, none: {} };
    expect(outline(state)).toEqual([
      'name      "Sales"',
      'labels',
      '  - id  1',
      '  - "x"',
      'settings',
      '  color  "red"',
      'none      {}',
    ]);
  });
});

test('a value that is not there is a dash', () => expect(inline(undefined)).toBe('-'));

describe('the difference of two values', () => {
  test('names each path once, with both sides', () => {
    expect(
      differences({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 2, d: 2 }, e: [1, 2], f: null }),
    ).toEqual([
      { path: 'b.c', before: 1, after: 2 },
      { path: 'e', before: [1], after: [1, 2] },
      { path: 'f', before: undefined, after: null },
    ]);
  });

  test('is empty for equal values', () => {
    expect(differences({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toEqual([]);
  });
});

test('nothing in a value or its name moves the cursor of a terminal, or turns its text around', () => {
  const name = 'a\u009b2J \u202eb\u001b[2J';
  const shown = 'a\\u009b2J \\u202eb\\u001b[2J';
  expect(inlineFields({ [name]: name })).toBe(`${shown}="${shown}"`);
  expect(outline({ [name]: { [name]: 1 } })).toEqual([shown, `  ${shown}  1`]);
  expect(differences({ [name]: { x: 1 } }, { [name]: { x: 2 } })).toMatchObject([{ path: `${shown}.x` }]);
  expect(JSON.parse(inline({ [name]: name }))).toEqual({ [name]: name });
});
