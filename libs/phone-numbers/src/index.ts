export { countryOf, formatPhoneNumber, isPhoneNumber } from './phone-number.ts';
