import { describe, expect, test } from 'vitest';
import { countryOf, fromCallingFormat, inCallingFormat, isPhoneNumber, mainCountryOf } from './index.ts';

describe('a phone number', () => {
  test.each(['+14155552671', '+491701234567', '+5511998765432', '+2347031234567'])('%s is one', (text) =>
    expect(isPhoneNumber(text)).toBe(true),
  );

  test.each([
    '',
    '+',
    '14155552671',
    '+1 415 555 2671',
    '+1-415-555-2671',
    '+14155552671x2',
    '+1415555267',
    '+141555526711',
    '+4901701234567',
    '+4407400123456',
    '+114155552671',
    '+0049170123456',
    '+999123456789',
    '\u202A+14155552671',
    '＋14155552671',
    '+١٤١٥٥٥٥٢٦٧١',
    `+1${'4'.repeat(1_000)}`,
  ])('%j is none', (text) => expect(isPhoneNumber(text)).toBe(false));

  test.each([
    ['+14155552671', 'US'],
    ['+14165550123', 'CA'],
    ['+201001234567', 'EG'],
    ['+84912345678', 'VN'],
    ['+2347031234567', 'NG'],
    ['+905321234567', 'TR'],
    ['+491701234567', 'DE'],
    ['+80012345678', undefined],
  ])('%s belongs to %s', (text, country) => expect(countryOf(text)).toBe(country));

  test.each([
    ['+447624123456', 'GB'],
    ['+16715551234', 'US'],
    ['+491701234567', 'DE'],
    ['+80012345678', undefined],
    ['hello', undefined],
  ])('%s has the calling code of %s', (text, country) => expect(mainCountryOf(text)).toBe(country));
});

test.each([
  ['+4930901820', '+e164', 'DE', '+4930901820'],
  ['+4930901820', 'e164', 'DE', '4930901820'],
  ['+4930901820', 'national', 'DE', '030901820'],
  ['+14155552671', 'national', 'US', '4155552671'],
  ['+14155552671', 'national', 'DE', '14155552671'],
  ['+14155552671', 'national', '', '14155552671'],
  // Guernsey and the Isle of Man, dialed in Britain as any number there.
  ['+441481723456', 'national', 'GB', '01481723456'],
  ['+447624123456', 'national', 'GB', '07624123456'],
] as const)('%s as %s from %s is dialed as %s', (phone, format, country, dialed) =>
  expect(inCallingFormat(phone, format, country)).toBe(dialed),
);

test.each([
  ['+491701234567', 'US', '+491701234567'],
  ['+49 (170) 123-4567', 'DE', '+491701234567'],
  ['491701234567', 'DE', '+491701234567'],
  ['01701234567', 'DE', '+491701234567'],
  ['00491701234567', 'DE', '+491701234567'],
  ['33612345678', 'DE', '+33612345678'],
  ['491701234567', '', '+491701234567'],
  ['4155552671', 'US', '+14155552671'],
  ['14155552671', 'US', '+14155552671'],
  ['011491701234567', 'US', '+491701234567'],
  ['491701234567', 'US', '+491701234567'],
  ['01481723456', 'GB', '+441481723456'],
  ['', 'DE', undefined],
  ['anonymous', 'DE', undefined],
  ['sip:alice', 'DE', undefined],
  ['201', 'DE', undefined],
  // Of a telephone system: digits that would be a number of Berlin after a 0.
  ['301234', 'DE', undefined],
  ['1701234567', 'DE', undefined],
  ['+999123456789', 'DE', undefined],
  ['01701234567', '', undefined],
] as const)('%s told in %s is %s', (told, country, phone) =>
  expect(fromCallingFormat(told, country)).toBe(phone),
);
