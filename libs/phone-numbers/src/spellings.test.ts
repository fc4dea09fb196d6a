import { describe, expect, test } from 'vitest';
import { dialedSpellingOf, isPhoneNumber, spellingsOf } from './index.ts';

describe('a line of a country that renumbered', () => {
  test.each([
    ['+5531987654321', '+553187654321'],
    ['+5511987654321', '+551187654321'],
    ['+525512345678', '+5215512345678'],
    ['+5491112345678', '+541112345678'],
  ])('%s is also known as %s, whichever is given', (dialed, told) => {
    expect(isPhoneNumber(dialed)).toBe(true);
    expect(spellingsOf(dialed)).toEqual([dialed, told]);
    expect(spellingsOf(told)).toEqual([dialed, told]);
  });
});

test.each([
  ['+553187654321', '+5531987654321'],
  ['+5215512345678', '+525512345678'],
  ['+541112345678', '+541112345678'],
  ['+5491112345678', '+5491112345678'],
  ['+491701234567', '+491701234567'],
])('%s is dialed as %s', (told, dialed) => expect(dialedSpellingOf(told)).toBe(dialed));

test.each([
  '+491701234567',
  '+14155552671',
  // Landlines in São Paulo; a mobile that came after the ninth digit.
  '+551132345678',
  '+5511952345678',
  '+52155123456',
  '+5498001234567',
])('%s has one spelling', (phone) => expect(spellingsOf(phone)).toEqual([phone]));
