import { expect, test } from 'vitest';
import { variablesOf } from './query-variables.ts';

test('variables of a query are the JSON that a body would have; none are none', () => {
  expect(variablesOf('{"1":"Ada","2":3}')).toEqual({ values: { 1: 'Ada', 2: '3' } });
  expect(variablesOf(undefined)).toEqual({ values: {} });
});

test.each(['no json', '[1]', '"text"', '{"1":{"a":1}}'])('%s is refused by its field', (text) => {
  expect(variablesOf(text)).toMatchObject({
    code: 'invalid',
    fields: { variables: ['The variables must be a JSON object of texts and numbers.'] },
  });
});

test('null is none', () => expect(variablesOf('null')).toEqual({ values: {} }));

test('a number of more digits than are kept is refused, as in a body; as text it is taken', () => {
  expect(variablesOf('{"1":12345678901234567890}')).toMatchObject({
    fields: {
      variables: ['The variables have more digits than are kept of a number; give it as text.'],
    },
  });
  expect(variablesOf('{"1":"12345678901234567890","2":1.5}')).toEqual({
    values: { 1: '12345678901234567890', 2: '1.5' },
  });
});
