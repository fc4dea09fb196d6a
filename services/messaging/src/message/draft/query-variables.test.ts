import { expect, test } from 'vitest';
import { variablesOf } from './query-variables.ts';

test('variables of a query are the JSON that a body would have; none are none', () => {
  expect(variablesOf('{"1":"Ada","2":3}')).toEqual({ values: { 1: 'Ada', 2: '3' } });
  expect(variablesOf(undefined)).toEqual({ values: {} });
});

test.each([
  ['no json', 'variables', 'The variables must be a JSON object of texts and numbers.'],
  ['[1]', 'variables', 'The variables field must be an object.'],
  ['{"1":{"a":1}}', 'variables.1', 'The variables.1 field must be a string or a number.'],
  [
    `{"name":"${'a'.repeat(1025)}"}`,
    'variables.name',
    'The variables.name field must not be greater than 1024 characters.',
  ],
])('what is wrong is told by its field, as the send tells it: %s', (text, field, message) => {
  expect(variablesOf(text)).toEqual({ code: 'invalid', fields: { [field]: [message] } });
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
