import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import metadata from 'libphonenumber-js/min/metadata';

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * The valid number in E.164 that a plus and digits mean: what is dialed before it at home is no part of it, as the 0 of
 * `+490170…`. Undefined where they mean none.
 */
export function inE164(text: string): string | undefined {
  const parsed = e164.test(text) ? parsePhoneNumberFromString(text) : undefined;
  return parsed?.isValid() ? parsed.number : undefined;
}

/** Whether the text is a valid number in E.164 (decisions, section 1), for example `+14155552671`, and nothing else. */
export const isPhoneNumber = (text: string): boolean => inE164(text) === text;

/**
 * ISO 3166-1 alpha-2 code of the country that an E.164 number belongs to; `undefined` for numbers of no country and of
 * unknown areas.
 */
export const countryOf = (phoneNumber: string): CountryCode | undefined =>
  parsePhoneNumberFromString(phoneNumber)?.country;

/** Whether a country has this ISO 3166-1 alpha-2 code. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/** Of those that share the number's calling code the one that it stands for: `GB` for a number of Jersey. */
export function mainCountryOf(phoneNumber: string): CountryCode | undefined {
  const callingCode = parsePhoneNumberFromString(phoneNumber)?.countryCallingCode;
  return callingCode === undefined ? undefined : metadata.country_calling_codes[callingCode]?.[0];
}

/** For people, in the international form: `+1 415 555 2671`. What is no number stays as it is. */
export const formatPhoneNumber = (phoneNumber: string): string =>
  parsePhoneNumberFromString(phoneNumber)?.formatInternational() ?? phoneNumber;

/**
 * An E.164 number as a telephone server wants it: `+e164` as it is, `e164` without the plus, `national` as it is dialed
 * in `country` (which may share its calling code, as Guernsey does with GB), or without the plus where that is abroad.
 */
export function inCallingFormat(
  phoneNumber: string,
  format: '+e164' | 'e164' | 'national',
  country: string,
): string {
  if (format === '+e164') return phoneNumber;
  const callingCode = isSupportedCountry(country) ? getCountryCallingCode(country) : undefined;
  const parsed = format === 'national' ? parsePhoneNumberFromString(phoneNumber) : undefined;
  return parsed && parsed.countryCallingCode === callingCode
    ? parsed.formatNational().replaceAll(/[^0-9]/g, '')
    : phoneNumber.slice(1);
}

/** What can be a number: digits, and what people put between them. */
const callingFormat = /^\+?[\d\s().-]{3,40}$/;

/**
 * The number in E.164 that a telephone server of `country` tells of, in whichever format of `inCallingFormat` or after the
 * country's prefix for abroad. Undefined where it tells of none, as of an extension or of somebody who hides theirs.
 */
export function fromCallingFormat(told: string, country: string): string | undefined {
  if (!callingFormat.test(told)) return undefined;
  const digits = told.replaceAll(/[^0-9]/g, '');
  if (told.startsWith('+')) return inE164(`+${digits}`);
  const parsed = isSupportedCountry(country) ? parsePhoneNumberFromString(digits, country) : undefined;
  const atHome = parsed?.isValid() ? parsed.number : undefined;
  const isAllOfIt =
    atHome && (inCallingFormat(atHome, 'national', country) === digits || digits.endsWith(atHome.slice(1)));
  return isAllOfIt ? atHome : inE164(`+${digits}`);
}

/** An E.164 number as it is dialed in its own country; undefined where that is not known. */
export function nationalFormOf(phoneNumber: string): string | undefined {
  const country = countryOf(phoneNumber);
  return country && inCallingFormat(phoneNumber, 'national', country);
}
