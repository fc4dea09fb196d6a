import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyFault } from '../edge/request/read-body.ts';
import { findStructureFault } from './json-faults.ts';
import { readJson } from './read-json.ts';

const read = (text: string) => readJson(Buffer.from(text));
const fieldsOf = (text: string) => {
  const value = read(text);
  return value instanceof BodyFault ? value.rejection.fields : undefined;
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a body', () => {
  test('is read as JSON.parse reads it, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }),
        fc.nat({ max: 3 }),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(!/\\u|__proto__/.test(text));
          expect(read(text)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('may be empty', () => {
    expect(readJson(Buffer.alloc(0))).toBeUndefined();
  });

  test.each(['{', '{"a":1,}', 'nope', '\ufeff{}', '{"a":NaN}', "{'a':1}", '{} {}', '"\u0000"'])(
    '%j is malformed',
    (text) => {
      expect(read(text)).toMatchObject({ rejection: { code: 'malformed' } });
    },
  );

  test('is malformed when it is not UTF-8', () => {
    expect(readJson(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ rejection: { code: 'malformed' } });
  });

  test('may be nested 32 levels deep, not 33', () => {
    expect(read(nested(32))).not.toBeInstanceOf(BodyFault);
    expect(fieldsOf(nested(33))).toEqual({ body: ['The body must not be nested deeper than 32 levels.'] });
    expect(read(nested(100_000))).toBeInstanceOf(BodyFault);
  });

  test.each([
    ['{"name":"a","name":"b"}', 'name'],
    ['{"name":"a","na\\u006de":"b"}', 'name'],
    ['{"a":{"b":[{},{"c":1,"c":2}]}}', 'a.b.1.c'],
    ['[[],[{"x":"]}\\"","x":1}]]', '1.0.x'],
  ])('must not give a key twice: %s', (text, field) => {
    expect(fieldsOf(text)).toEqual({ [field]: [`The ${field} field is given more than once.`] });
  });

  test('may use a key again in another object', () => {
    expect(findStructureFault('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}],"c":"a"}', 32)).toBeNull();
  });

  test.each(['{"__proto__":{}}', '{"a":[{"\\u005f_proto__":1}]}'])(
    'must not name a prototype: %s',
    (text) => {
      expect(Object.values(fieldsOf(text) ?? {})).toEqual([['The key __proto__ is not allowed.']]);
    },
  );

  test.each([
    ['{"name":"a\\u0000"}', 'name'],
    ['{"a":[{"b":"\\ud800"}]}', 'a.0.b'],
    ['{"a":{"\\udfff":1}}', 'a'],
    ['"\\u0000"', 'body'],
  ])('must be text without NUL and lone surrogates: %s', (text, field) => {
    expect(Object.keys(fieldsOf(text) ?? {})).toEqual([field]);
  });

  test.each([
    ['{"order":12345678901234567890}', 'order'],
    ['{"a":[1,{"b":-9007199254740993}]}', 'a.1.b'],
    ['{"a":[0,[9007199254740993]]}', 'a.1.0'],
    ['12345678901234567', 'body'],
    [`{"a":${'9'.repeat(400)}}`, 'a'],
  ])('must not hold a whole number of which digits would be lost: %s', (text, field) => {
    expect(fieldsOf(text)).toEqual({
      [field]: [`The ${field} field has more digits than are kept of a number; send it as text.`],
    });
  });

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '100000000000000000000',
    '1e20',
    '0.10000000000000000001',
    '12345678901234567.5',
    '"12345678901234567890"',
    '{"12345678901234567890":1}',
  ])('may hold any other number: %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  test('with a fault in a field whose name is as long as the body is told so in as much as anybody reads', () => {
    const long = 'x'.repeat(100_000);
    for (const text of [`{"${long}":1,"${long}":2}`, `{"${long}":"\\u0000"}`, `{"${long}":{"__proto__":1}}`])
      expect(JSON.stringify(fieldsOf(text)).length).toBeLessThan(2_000);
  });

  test('may hold any escaped character that is one', () => {
    expect(read('{"name":"\\ud83d\\ude00 \\u00e9 \\\\u0000"}')).toEqual({ name: '😀 é \\u0000' });
  });
});
