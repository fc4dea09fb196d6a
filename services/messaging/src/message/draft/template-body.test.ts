import { describe, expect, test } from 'vitest';
import { fillTemplate } from './template-body.ts';

const body = 'Hello {{1}}, your order {{2}} is ready, {{1}}.';
const gaps = [
  { key: '1', name: 'first name' },
  { key: '2', name: 'order' },
];
const filled = 'Hello Ada, your order 17 is ready, Ada.';

describe('a template', () => {
  test.each([
    [{ 1: 'Ada', 2: '17' }],
    [{ 'first name': 'Ada', order: '17' }],
    [{ 1: 'Ada', order: '17', other: 'x' }],
  ])('takes the values %j by position or by name', (values) =>
    expect(fillTemplate(body, gaps, values)).toEqual({
      body: filled,
      parameters: [
        { key: '1', value: 'Ada' },
        { key: '2', value: '17' },
      ],
    }),
  );

  test("takes values by the platform's own names", () =>
    expect(
      fillTemplate('Hi {{1}}', [{ key: 'first_name', name: 'First name' }], { first_name: 'Ada' }),
    ).toEqual({ body: 'Hi Ada', parameters: [{ key: 'first_name', value: 'Ada' }] }));

  test('passes over a blank value for one by another name', () => {
    const named = [{ key: '1', name: 'first_name' }];
    expect(fillTemplate('Hi {{1}}', named, { 1: ' ', first_name: 'Ada' })).toMatchObject({ body: 'Hi Ada' });
  });

  test('names what is missing, empty values included', () =>
    expect(fillTemplate(body, gaps, { 1: 'Ada', 2: ' ' })).toEqual({
      code: 'variables_missing',
      message: 'Values of template variables are missing: order.',
      details: { missing: ['order'] },
    }));

  test.each(['Ada\nLovelace', 'Ada\r', '\tAda', 'Ada     Lovelace'])(
    'says of the value %j that it cannot be sent, and whose it is',
    (value) =>
      expect(fillTemplate(body, gaps, { 1: 'Ada', order: value, other: value })).toEqual({
        code: 'variables_missing',
        message:
          'Values of template variables cannot be sent, for a line break, a tab or more than four spaces in a row: order.',
        details: { unsendable: ['order'] },
      }),
  );

  test('takes spaces up to four in a row, and anything in values that fit no gap', () =>
    expect(
      fillTemplate('{{1}}', [{ key: '1', name: 'name' }], { 1: 'Ada    L', other: 'a\nb' }),
    ).toMatchObject({
      body: 'Ada    L',
    }));

  test.each(['toString', '__proto__', 'constructor'])('does not take %s for a value that was given', (name) =>
    expect(fillTemplate('{{1}}', [{ key: name, name }], {})).toMatchObject({ code: 'variables_missing' }),
  );

  test.each(['{{2}}', '$1', '$&', '{{1}}'])('leaves the value %s as it is', (value) =>
    expect(fillTemplate('{{1}}', [{ key: '1', name: 'name' }], { 1: value })).toMatchObject({ body: value }),
  );

  test('without gaps needs no values', () =>
    expect(fillTemplate('Hello', [], {})).toEqual({ body: 'Hello', parameters: [] }));
});

test('a gap that the template does not know stays as it is', () =>
  expect(fillTemplate('{{1}} {{3}}', [{ key: '1', name: 'name' }], { 1: 'Ada' })).toMatchObject({
    body: 'Ada {{3}}',
  }));
