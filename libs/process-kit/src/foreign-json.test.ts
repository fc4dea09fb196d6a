import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { parseForeignJson, readKeysAsWritten } from './foreign-json.ts';

const escaped = (text: string): string =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

test.each([
  ['имя', '\\u0'],
  ['état', '\\u00'],
  ['a/b', 'a\\/'],
])('the key %s is read whatever was read before', (key, read) => {
  const shape = `before-${key}`;
  parseForeignJson(JSON.stringify({ [shape]: 1, [read]: 2 }));
  const written = key === 'a/b' ? 'a\\/b' : escaped(key);
  expect(parseForeignJson(`{"${shape}": 1, "${written}" : [{"${written}":"${written}"}]}`)).toEqual({
    [shape]: 1,
    [key]: [{ [key]: key }],
  });
});

test.each([
  ['a"b', 'a\\"'],
  ['two\nlines', 'two\\nline'],
  ['C:\\x', 'C:\\\\'],
  ['\ue000"', '\ue000\\'],
])('the key %j, which has to be escaped, is read whatever was read before', (key, read) => {
  const shape = `escaped-${key}`;
  const others = JSON.parse(JSON.stringify({ [shape]: 1, [read]: 2 }));
  const own = { [shape]: 1, [key]: [{ [shape]: 1, [key]: `${key}":` }] };
  expect(parseForeignJson(JSON.stringify(own))).toEqual(own);
  expect(parseForeignJson(JSON.stringify(others))).toEqual(others);
});

test('every JSON text is read as JSON.parse reads it', () => {
  // What JSON.parse itself may read wrongly is left out.
  const key = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\\'));
  fc.assert(
    fc.property(
      fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 4 },
          fc.string({ unit: 'binary' }),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.constant(null),
          fc.array(tie('value')),
          fc.dictionary(key, tie('value')),
        ),
      })).value,
      fc.constantFrom(undefined, 2),
      (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(parseForeignJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      },
    ),
  );
  expect(() => parseForeignJson('{"a":')).toThrow(SyntaxError);
});

test('a text is read however deep it is nested', () => {
  const levels = 100_000;
  let value = parseForeignJson('[{"a\\"":'.repeat(levels) + 1 + '}]'.repeat(levels));
  for (let level = 0; level < levels; level += 1) value = Reflect.get(Reflect.get(Object(value), 0), 'a"');
  expect(value).toBe(1);
});

test('a text that is no JSON is refused, however long the string is in which it ends', () => {
  const unclosed = `{"\\n":1,"${'\\"'.repeat(128 * 1024)}`;
  expect(() => parseForeignJson(unclosed)).toThrow(SyntaxError);
  expect(() => parseForeignJson('{"a\\n"\u00a0:1}')).toThrow(SyntaxError);
});

test('in a process that reads keys as they are written, JSON.parse does so, and is itself otherwise', () => {
  const { parse } = JSON;
  onTestFinished(() => {
    JSON.parse = parse;
  });
  readKeysAsWritten();
  const others = JSON.parse(JSON.stringify({ process: 1, '24\\"': 2 }));
  expect(JSON.stringify(JSON.parse('{"process":1,"24\\"x":2}'))).toBe('{"process":1,"24\\"x":2}');
  expect(JSON.stringify(others)).toBe('{"process":1,"24\\\\\\"":2}');
  expect(Reflect.apply(JSON.parse, JSON, [Buffer.from('[null]')])).toEqual([null]);
  expect(JSON.parse('{"a":1}', (_, value) => (value === 1 ? 2 : value))).toEqual({ a: 2 });
  expect(() => JSON.parse('{"a\\"":')).toThrow(SyntaxError);
});
