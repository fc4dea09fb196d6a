export {
  countryOf,
  formatPhoneNumber,
  inCallingFormat,
  isPhoneNumber,
  mainCountryOf,
} from './phone-number.ts';
export { dialedSpellingOf, spellingsOf } from './spellings.ts';
