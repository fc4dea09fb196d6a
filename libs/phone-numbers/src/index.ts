export {
  countryOf,
  formatPhoneNumber,
  fromCallingFormat,
  inCallingFormat,
  inE164,
  isPhoneNumber,
  mainCountryOf,
  nationalFormOf,
} from './phone-number.ts';
export { dialedSpellingOf, spellingsOf } from './spellings.ts';
