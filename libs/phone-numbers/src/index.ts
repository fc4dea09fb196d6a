export { countryOf, formatPhoneNumber, inCallingFormat, isPhoneNumber } from './phone-number.ts';
export { dialedSpellingOf, spellingsOf } from './spellings.ts';
