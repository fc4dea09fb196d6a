import fc from 'fast-check';
import { expect, test } from 'vitest';
import { losesAnyDigits, losesDigits, parseWithAllDigits } from './whole-numbers.ts';

test.each([
  ['12345678901234567', '12345678901234567'],
  ['-12345678901234567890', '-12345678901234567890'],
  [
    '{"a":[9007199254740993 , {"b":1000000000000000000001}]}',
    {
      a: ['9007199254740993', { b: '1000000000000000000001' }],
    },
  ],
  ['9'.repeat(400), '9'.repeat(400)],
])('a whole number that would lose digits is the text of its digits: %s', (text, value) => {
  expect(parseWithAllDigits(text)).toEqual(value);
  expect(losesAnyDigits(text)).toBe(true);
});

test.each([
  ['1e309', '1e309'],
  ['{"n":-1.5E+0400,"list":[1e308,2e999]}', { n: '-1.5E+0400', list: [1e308, '2e999'] }],
  [`${'9'.repeat(309)}.5`, `${'9'.repeat(309)}.5`],
])('a number that is too large to be written again is the text that it was sent as: %s', (text, value) => {
  expect(parseWithAllDigits(text)).toEqual(value);
});

test.each([
  '1e308',
  '1e-999',
  '"1e999"',
  '9007199254740991',
  '-9007199254740992',
  '100000000000000000000',
  '1e20',
  '12345678901234567.5',
  '12345678901234567e1',
  '"12345678901234567890"',
  '{"12345678901234567890":1,"a\\"":":12345678901234567890"}',
  '["\\\\",1,"\\"12345678901234567890"]',
])('everything else is read as JSON.parse reads it: %s', (text) => {
  expect(parseWithAllDigits(text)).toEqual(JSON.parse(text));
  expect(losesAnyDigits(text)).toBe(false);
});

test('whatever whole numbers and texts a JSON text holds, the digits are there', () => {
  const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  const text = fc.string({ unit: fc.constantFrom('"', '\\', ':', ',', '-', '12345678901234567890') });
  fc.assert(
    fc.property(fc.array(fc.oneof(whole, text)), (values) => {
      const json = values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value)));
      const read = parseWithAllDigits(`[${json.join()}]`);
      expect(Array.isArray(read) && read.map(String)).toEqual(values.map(String));
    }),
  );
});

test('a text that is no JSON is refused, also where it would be some with quotes around its digits', () => {
  for (const text of ['{12345678901234567890:1}', '012345678901234567890', '1234567890123456789 1', '{"a":'])
    expect(() => parseWithAllDigits(text), text).toThrow(SyntaxError);
});

test('only a whole number can lose digits', () => {
  expect(['12345678901234567890', '-9007199254740993'].filter(losesDigits)).toHaveLength(2);
  expect(['1', '9007199254740992', '1e400', '1.2345678901234567890'].filter(losesDigits)).toEqual([]);
});
