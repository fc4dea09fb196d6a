import { expect, test } from 'vitest';
import { mentionPatterns } from './mentions.ts';

const isMentioned = (name: string, text: string): boolean =>
  mentionPatterns({ phoneNumbers: [name] }).some((pattern) => pattern.test(text));
const number = '+4930901820';
const hidden = 'US.13491208655302741918';

test.for([
  number,
  '4930901820',
  '{"phone":"4930901820"}',
  'tel:004930901820',
  '0114930901820',
  'to=%2B4930901820&x',
  'to=%204930901820',
  String.raw`"\u00a04930901820"`,
  String.raw`"\n4930901820"`,
  'on +4930901820.',
  '4930901820@s.whatsapp.net',
])('a number is found in %s', (text) => {
  expect(isMentioned(number, text)).toBe(true);
});

test.for(['+49309018201', '+14930901820', '14930901820', '490304930901820', '+493090182'])(
  'a number is not found in %s, which is another',
  (text) => {
    expect(isMentioned(number, text)).toBe(false);
  },
);

test.for([
  ['+4930901820', 'Call from 030901820', true],
  ['+4930901820', 'call-_030901820_1', true],
  ['+4930901820', '0309018207', false],
  ['+4930901820', '1030901820', false],
  ['+14155552671', 'Call from 4155552671', true],
  ['+14155552671', 'Call from +4155552671', false],
  ['+14155552671', 'to=%2B4155552671', false],
  // Any number can be one of eight digits.
  ['+4722345678', '{"amount_micros": 22345678}', false],
] as const)('as %s is dialed at home, it is looked for in %s', ([name, text, isFound]) => {
  expect(isMentioned(name, text)).toBe(isFound);
});

test('a customer who hides their number is found by their whole name alone', () => {
  expect(isMentioned(hidden, `{"contact_phone":"${hidden}"}`)).toBe(true);
  expect(isMentioned(hidden, `${hidden}7`)).toBe(false);
  expect(isMentioned(hidden, `${hidden}A`)).toBe(false);
  expect(isMentioned(hidden, hidden.replace('.', '1'))).toBe(false);
});
