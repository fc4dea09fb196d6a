import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedJson } from './ordered-json.ts';

test('has the shorter names first, at every depth, and leaves lists as they are', () => {
  expect(orderedJson({ name: 'Ada', zz: [3, 1, { long: null, a: {} }], a: 2, b: 1 })).toBe(
    '{"a":2,"b":1,"zz":[3,1,{"a":{},"long":null}],"name":"Ada"}',
  );
});

/** Nothing that is written with an escape: V8 may read such a name as one that others wrote before (ADR 37). */
const stringUnit = fc.constantFrom(...'abcXYZ019 _-.:{}[],é漢');

test('says what JSON says, in no more characters and in one order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: stringUnit }), fc.jsonValue({ stringUnit })), (value) => {
      const text = orderedJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).toHaveLength(JSON.stringify(value).length);
      expect(orderedJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(text);
    }),
  );
});
