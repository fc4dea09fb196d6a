import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseForeignJson } from './foreign-json.ts';

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

test('every JSON text is read as JSON.parse reads it', () => {
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
