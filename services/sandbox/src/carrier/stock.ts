import { getExample } from 'awesome-phonenumber';
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

export const numberTypes = ['local', 'mobile', 'toll_free'] as const;
export type NumberType = (typeof numberTypes)[number];

/** libphonenumber's names for each kind of number. */
const lineTypes: Readonly<Record<NumberType, readonly string[]>> = {
  local: ['FIXED_LINE', 'FIXED_LINE_OR_MOBILE'],
  mobile: ['MOBILE', 'FIXED_LINE_OR_MOBILE'],
  toll_free: ['TOLL_FREE'],
};

/** One number in `oneIn` is for sale, so a number that somebody makes up is most likely not. */
const oneIn = 61;
const remainderForSale = 7;

/**
 * Twilio's magic numbers, and three of our own: one that is offered but gone when it is bought (`snatched`), and two
 * that are sold only to an owner with an address (`addressed`), or with an approved bundle, which no search tells
 * (`bundled`).
 */
export const magicNumbers = {
  unavailable: '+15005550000',
  invalid: '+15005550001',
  available: '+15005550006',
  bundled: '+15005550007',
  addressed: '+15005550008',
  snatched: '+15005550009',
} as const;
const offeredMagic: readonly string[] = [
  magicNumbers.available,
  magicNumbers.bundled,
  magicNumbers.addressed,
  magicNumbers.snatched,
];

/** Whether the number is sold only with an address of its owner, as the law of some countries demands. */
export const requiresAddress = (phoneNumber: string): boolean => phoneNumber === magicNumbers.addressed;

/** Whether it is sold only with a regulatory bundle. */
export const requiresBundle = (phoneNumber: string): boolean => phoneNumber === magicNumbers.bundled;

export const isForSale = (phoneNumber: string): boolean =>
  offeredMagic.includes(phoneNumber) || Number(phoneNumber.slice(1)) % oneIn === remainderForSale;

export interface Search {
  readonly country: string;
  readonly type: NumberType;
  /** Digits that occur in the number, anywhere; empty for any. */
  readonly contains: string;
  readonly limit: number;
  readonly isSold: (phoneNumber: string) => boolean;
}

const maxCandidates = 30_000;

/** Numbers for sale, the same ones each time until they are sold. Empty for countries that do not exist. */
export function searchStock({ country, type, contains, limit, isSold }: Search): readonly string[] {
  const found = new Set<string>();
  const offer = (phoneNumber: string) => {
    if (!isSold(phoneNumber)) found.add(phoneNumber);
  };
  if (country === 'US' && type === 'local' && contains.length >= 7)
    for (const magic of offeredMagic) if (magic.includes(contains)) offer(magic);
  let candidates = 0;
  for (const pattern of patterns(country, type, contains)) {
    for (const candidate of fillings(pattern)) {
      if (found.size >= limit) return [...found].slice(0, limit);
      candidates += 1;
      if (candidates > maxCandidates) return [...found];
      if (isForSale(candidate) && isOf(candidate, country, type)) offer(candidate);
    }
  }
  return [...found].slice(0, limit);
}

/** A number's digits, those that may vary marked with null. */
type Pattern = readonly (string | null)[];

function* patterns(country: string, type: NumberType, contains: string): Generator<Pattern> {
  if (!isSupportedCountry(country)) return;
  const example = exampleOf(country, type);
  if (example === undefined) return;
  const digits = [...example.slice(1)];
  const fixed = getCountryCallingCode(country).length + 3;
  for (let at = digits.length - contains.length; at >= 0; at -= 1) {
    const covers = (index: number) => index >= at && index < at + contains.length;
    yield digits.map((digit, index) =>
      covers(index) ? (contains[index - at] ?? digit) : index < fixed ? digit : null,
    );
    if (contains === '') break;
  }
}

/** Every filling of a pattern, in an order that does not look like counting. */
function* fillings(pattern: Pattern): Generator<string> {
  const free = pattern.flatMap((digit, index) => (digit === null ? [index] : []));
  const total = 10 ** free.length;
  const stride = 7919;
  for (let count = 0; count < Math.min(total, maxCandidates); count += 1) {
    const filling = String((count * stride) % total).padStart(free.length, '0');
    const digits = pattern.map((digit, index) => digit ?? filling[free.indexOf(index)] ?? '0');
    yield `+${digits.join('')}`;
  }
}

const isOf = (phoneNumber: string, country: string, type: NumberType): boolean => {
  const parsed = parsePhoneNumberFromString(phoneNumber);
  if (!parsed?.isValid() || parsed.country !== country) return false;
  return lineTypes[type].includes(parsed.getType() ?? '');
};

/** What kind of number it is, for one that is bought without a search. */
export function describeNumber(phoneNumber: string): { country: string; type: NumberType } | null {
  if (offeredMagic.includes(phoneNumber)) return { country: 'US', type: 'local' };
  const parsed = parsePhoneNumberFromString(phoneNumber);
  if (!parsed?.isValid() || !parsed.country) return null;
  const type = numberTypes.find((candidate) => lineTypes[candidate].includes(parsed.getType() ?? ''));
  return type ? { country: parsed.country, type } : null;
}

const exampleTypes = { local: 'fixed-line', mobile: 'mobile', toll_free: 'toll-free' } as const;

/** A valid number of the country and type to make others of; undefined where the country has none of that type. */
function exampleOf(country: CountryCode, type: NumberType): string | undefined {
  try {
    return getExample(country, exampleTypes[type]).number?.e164;
  } catch {
    // It throws where there is none.
    return undefined;
  }
}
