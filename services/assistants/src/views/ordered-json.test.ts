import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderedJson } from './ordered-json.ts';

test('has the shorter names first, at every depth, and leaves lists as they are', () => {
  expect(orderedJson({ name: 'Ada', zz: [3, 1, { long: null, a: {} }], a: 2, b: 1 })).toBe(
    '{"a":2,"b":1,"zz":[3,1,{"a":{},"long":null}],"name":"Ada"}',
  );
});

test('says what JSON says, in no more characters and in one order', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = orderedJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text).toHaveLength(JSON.stringify(value).length);
      expect(orderedJson(Object.fromEntries(Object.entries(value).reverse()))).toBe(text);
    }),
  );
});
