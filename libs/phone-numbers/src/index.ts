export { countryOf, formatPhoneNumber, inCallingFormat, isPhoneNumber } from './phone-number.ts';
