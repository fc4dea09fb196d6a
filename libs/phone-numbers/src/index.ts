export { countryOf, isPhoneNumber } from './phone-number.ts';
