export {
  countryOf,
  formatPhoneNumber,
  fromCallingFormat,
  inCallingFormat,
  inE164,
  isCountry,
  isPhoneNumber,
  mainCountryOf,
  nationalFormOf,
} from './phone-number.ts';
export { dialedSpellingOf, spellingsOf } from './spellings.ts';
